import { Heading } from '../../ui/Heading.js';

export default function Ops() {
  return <Heading title="Operations" />;
}
