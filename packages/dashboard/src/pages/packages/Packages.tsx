import { Heading } from '../../ui/Heading.js';

export default function Packages() {
  return <Heading title="Packages" />;
}
