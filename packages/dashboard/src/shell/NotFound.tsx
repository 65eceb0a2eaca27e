import { Link } from 'wouter';
import { Heading } from '../ui/Heading.js';

export function NotFound() {
  return (
    <>
      <Heading title="Nothing is here" />
      <p>No page has this address.</p>
      <p>
        <Link href="/">Go to the overview</Link>
      </p>
    </>
  );
}
