import { isTerminal, RelayError } from '@legwork/protocol/contract';
import type { LegInTask } from './legInTask.js';
import { isLegWorkable } from './viewDigitalTask.js';

/** Who calls about a leg of its own. */
export interface Holder {
  agentPubkey: string;
  /** Whether the agent's key signed the call. */
  signed: boolean;
}

/** @throws RelayError `not_your_leg`, also once the claim has ended */
export function requireHolder({ leg }: LegInTask, { agentPubkey }: Holder): void {
  if (leg.agent_pubkey === agentPubkey) return;
  const holder = leg.agent_pubkey === null ? 'nobody has it' : `${leg.agent_pubkey} has it`;
  throw RelayError.field('not_your_leg', 'legId', `is not a leg of ${agentPubkey}: ${holder}`);
}

/** @throws RelayError `signed_before` when an unsigned call is about a claim that was signed. Rule S-60 */
export function requireSameHand({ leg }: LegInTask, { agentPubkey, signed }: Holder): void {
  if (signed || leg.signed === false) return;
  throw RelayError.field(
    'signed_before',
    'agentPubkey',
    `${agentPubkey} claimed this leg by a signed call, and only signed calls complete or release it; sign the request`,
  );
}

/** @throws RelayError `leg_out_of_order` while the leg is reserved only. Rule M-55 */
export function requireWorkable({ task, legs, leg }: LegInTask): void {
  if (leg.status !== 'pending' || isLegWorkable(task, legs, leg.leg_index)) return;
  if (isTerminal('task', task.status)) return;
  const next = legs.find((candidate) => candidate.status !== 'completed');
  throw RelayError.field(
    'leg_out_of_order',
    'legId',
    `is reserved: legs are worked on in order, and this is leg ${leg.leg_index} while leg ${next?.leg_index} (${next?.id}) is not completed`,
  );
}

/** @throws RelayError `invalid_status` once the task is over */
export function requireOpenTask({ task, leg }: LegInTask): void {
  if (!isTerminal('task', task.status)) return;
  throw RelayError.field('invalid_status', 'taskId', `names a task that is ${task.status}; its leg is ${leg.status}`);
}

/** @throws RelayError `invalid_status` while the leg's release is under way. Rule M-57 */
export function requireKept({ leg }: LegInTask): void {
  if (leg.release_reason === null) return;
  const why = leg.release_reason === 'timeout' ? 'the time for it ran out' : 'it was given back';
  throw RelayError.field('invalid_status', 'legId', `names a leg whose release is under way: ${why}`);
}
