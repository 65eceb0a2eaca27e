import { Heading } from '../../ui/Heading.js';

export default function Rewards() {
  return <Heading title="Rewards" />;
}
