import { formatSol } from '@legwork/sdk';
import type { LegTurnView, MoveAction } from '@legwork/protocol/contract';

type Turn = Pick<LegTurnView, 'kind' | 'stage' | 'stakeLamports'> & {
  /** Whether the leg is the reader's. */
  readonly isOwn: boolean;
};

const withStake = ({ stakeLamports }: Turn) => `, with a stake of ${formatSol(stakeLamports)} SOL`;

/** What each move is called where it is made. */
export const ACTIONS: Readonly<Record<MoveAction, (turn: Turn) => string>> = {
  accept: (turn) => `Accept${withStake(turn)}`,
  take: (turn) => (turn.isOwn ? `Pick it up${turn.stage === 'pending' ? withStake(turn) : ''}` : 'Sign the pickup'),
  vacate: () => 'Leave the leg',
  claim: () => 'Claim that it is done',
  confirm: ({ kind }) => (kind === 'package' ? 'Confirm that you have it' : 'Confirm the result'),
  dispute: (turn) => `Dispute${withStake(turn)}`,
  rule: () => 'Rule',
  agree: () => 'Agree with the other side',
  crank: () => 'Carry out what the clock decided',
};

/** What text the moves ask for; undefined: none. */
export function textLabel({ kind, actions }: Pick<LegTurnView, 'kind' | 'actions'>): string | undefined {
  if (actions.includes('claim')) {
    return kind === 'package' ? 'For a claim: where it is, and what shows that' : 'For a claim: the result';
  }
  return actions.includes('dispute') ? 'For a dispute: what is wrong with the claim' : undefined;
}
