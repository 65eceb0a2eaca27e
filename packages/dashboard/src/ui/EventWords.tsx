import type { LegworkEvent } from '@legwork/protocol/contract';
import { type Part, wordsOf } from '../data/eventWords.js';
import { AgentLink } from './AgentLink.js';
import { ToldAmount } from './ToldAmount.js';
import { Time } from './Time.js';
import { rich } from '../language.js';

/** What happened, in a sentence that leaves out which package or task it is about. */
export function EventWords({ event }: { event: LegworkEvent }) {
  const { say, parts } = wordsOf(event);
  return rich(say, Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, shown(part)])));
}

function shown(part: Part) {
  if (typeof part !== 'object') return part;
  if ('amount' in part) return <ToldAmount {...part} />;
  return 'at' in part ? <Time at={part.at} /> : <AgentLink pubkey={part.agent} />;
}
