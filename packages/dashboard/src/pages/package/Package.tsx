import { Heading } from '../../ui/Heading.js';

export default function Package() {
  return <Heading title="Package" />;
}
