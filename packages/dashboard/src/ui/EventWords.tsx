import type { LegworkEvent } from '@legwork/protocol/contract';
import { type Part, wordsOf } from '../data/eventWords.js';
import { AgentLink } from './AgentLink.js';
import { ToldAmount } from './ToldAmount.js';
import { Time } from './Time.js';

/** What happened, in a sentence that leaves out which package or task it is about. */
export function EventWords({ event }: { event: LegworkEvent }) {
  return wordsOf(event).say.map((part, at) => <PartOf key={at} part={part} />);
}

function PartOf({ part }: { part: Part }) {
  if (typeof part === 'string') return part;
  if ('amount' in part) return <ToldAmount {...part} />;
  if ('at' in part) return <Time at={part.at} />;
  return <AgentLink pubkey={part.agent} />;
}
