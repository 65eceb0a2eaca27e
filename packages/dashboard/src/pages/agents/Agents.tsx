import { Heading } from '../../ui/Heading.js';

export default function Agents() {
  return <Heading title="Agents" />;
}
