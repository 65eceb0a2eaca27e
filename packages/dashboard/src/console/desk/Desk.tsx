import { Heading } from '../../ui/Heading.js';

export default function Desk() {
  return <Heading title="Arbiter's desk" />;
}
