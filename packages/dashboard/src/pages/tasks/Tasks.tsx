import { Heading } from '../../ui/Heading.js';

export default function Tasks() {
  return <Heading title="Digital tasks" />;
}
