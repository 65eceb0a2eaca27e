import { formatSol } from '@legwork/sdk';
import type { PackageTurnView, MoveAction } from '@legwork/protocol/contract';

type Turn = Pick<PackageTurnView, 'stage' | 'stakeLamports'>;

const withStake = ({ stakeLamports }: Turn) => `, with a stake of ${formatSol(stakeLamports)} SOL`;

/** What each move is called where it is made. */
export const ACTIONS: Readonly<Record<MoveAction, (turn: Turn) => string>> = {
  accept: (turn) => `Accept${withStake(turn)}`,
  take: (turn) => `Pick it up${turn.stage === 'pending' ? withStake(turn) : ''}`,
  vacate: () => 'Leave the leg',
  claim: () => 'Claim that it is done',
  confirm: () => 'Confirm that you have it',
  dispute: (turn) => `Dispute${withStake(turn)}`,
  rule: () => 'Rule',
  agree: () => 'Agree with the other side',
  crank: () => 'Carry out what the clock decided',
};

/** What text the moves ask for; undefined: none. */
export function textLabel(actions: readonly MoveAction[]): string | undefined {
  if (actions.includes('claim')) return 'For a claim: where it is, and what shows that';
  return actions.includes('dispute') ? 'For a dispute: what is wrong with the claim' : undefined;
}
