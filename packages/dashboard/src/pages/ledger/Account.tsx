import { Heading } from '../../ui/Heading.js';

export default function Account() {
  return <Heading title="Account" />;
}
