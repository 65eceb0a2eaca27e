import { Heading } from '../../ui/Heading.js';

export default function Task() {
  return <Heading title="Digital task" />;
}
