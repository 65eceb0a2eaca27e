import { Heading } from '../../ui/Heading.js';

export default function Overview() {
  return <Heading title="Legwork" />;
}
