import { Heading } from '../../ui/Heading.js';

export default function Transaction() {
  return <Heading title="Transaction" />;
}
