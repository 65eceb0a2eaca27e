import { Heading } from '../../ui/Heading.js';

export default function Developers() {
  return <Heading title="Developers" />;
}
