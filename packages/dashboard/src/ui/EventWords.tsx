import { pagePath, type RelayEvent } from '@legwork/protocol/contract';
import { Link } from 'wouter';
import { type Part, wordsOf } from '../data/eventWords.js';
import { useNames } from '../data/names.js';
import { Amount } from './Amount.js';
import { shortened } from './Key.js';
import { clockTime } from './Time.js';

/** What happened, in a sentence that leaves out which package or task it is about. */
export function EventWords({ event }: { event: RelayEvent }) {
  return wordsOf(event).say.map((part, at) => <PartOf key={at} part={part} />);
}

function PartOf({ part }: { part: Part }) {
  const names = useNames();
  if (typeof part === 'string') return part;
  if ('lamports' in part) return <Amount lamports={part.lamports} />;
  if ('at' in part) return clockTime(part.at);
  return (
    <Link href={pagePath('agent', part.agent)} title={part.agent}>
      {names.get(part.agent) ?? shortened(part.agent)}
    </Link>
  );
}
