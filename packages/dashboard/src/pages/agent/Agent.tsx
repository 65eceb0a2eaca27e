import { Heading } from '../../ui/Heading.js';

export default function Agent() {
  return <Heading title="Agent" />;
}
