import { type LegStage, type PackageStatus, type TaskStatus, type Terms, PAGES } from '@legwork/protocol/contract';
import type { Leg, MoveOffer } from '@legwork/sdk';
import { isPickedUp, STAKES_HELD } from '@legwork/protocol/rules';

/** Of what a leg is. */
export type Kind = 'package' | 'task';

/** A leg with terms, of either kind. */
export type BoundLeg = Pick<
  Leg,
  | 'id'
  | 'legIndex'
  | 'onChainLeg'
  | 'formation'
  | 'stage'
  | 'percent'
  | 'disputerPubkey'
  | 'evidenceHash'
  | 'reasonHash'
> & {
  /** Null: nobody has it. */
  readonly agentPubkey: string | null;
};

/** What those are called who have a part in it: who listed it, and who works on a leg. */
export const PARTS: Readonly<Record<Kind, { readonly lister: string; readonly worker: string }>> = {
  package: { lister: 'shipper', worker: 'courier' },
  task: { lister: 'poster', worker: 'agent' },
};

/** Where a leg with terms stands. */
const STAGES: Readonly<Record<LegStage, string>> = {
  pending: 'to be accepted',
  accepted: 'accepted',
  carried: 'has it',
  claimed: 'claimed',
  disputed: 'disputed',
  ruled: 'ruled',
  vacant: 'open again',
  completed: 'paid',
};

/** @param percent what a ruling left of its payment; null: none */
export function stageWord(stage: LegStage, percent: number | null): string {
  const isRuled = percent !== null && (stage === 'ruled' || stage === 'completed');
  return isRuled ? `${STAGES[stage]}, ${percent} %` : STAGES[stage];
}

/** The same where it stands alone: `To be accepted`. */
export const stageTitle = (stage: LegStage, percent: number | null = null): string =>
  stageWord(stage, percent).replace(/^./, (first) => first.toUpperCase());

interface Ways {
  readonly status: PackageStatus | TaskStatus;
  readonly legs: readonly { readonly stage: LegStage | null; readonly percent?: number | null }[];
  /** Of a relay on the map, which does not tell its rulings: what its legs paid, and what they were to pay. */
  readonly paid?: bigint;
  readonly total?: bigint | null;
}

/**
 * What the status of a package or a task is called where it alone says too much: a parcel that nobody has picked up is on no way, and what
 * was ruled is not as good as delivered. Rule D-40.
 *
 * @returns undefined: its usual word
 */
export function statusWord({ status, legs, paid, total }: Ways): string | undefined {
  if (status === 'in_transit') {
    const stage = legs[0]?.stage ?? null;
    return stage === null || isPickedUp(stage) ? undefined : 'To be picked up';
  }
  if (status !== 'delivered' && status !== 'completed') return undefined;
  const percent = legs.at(-1)?.percent ?? null;
  if (percent !== null) return `Over, ruled ${percent} %`;
  const isInPart = paid !== undefined && paid < (total ?? 0n);
  return isInPart ? 'Over, paid in part' : undefined;
}

/** What legs under way hold as stakes, by their stages; lamports, 0 without terms. */
export function stakesHeld(terms: Terms | null, legs: readonly { readonly stage: LegStage | null }[]): bigint {
  const held = legs.reduce((sum, { stage }) => sum + (stage ? STAKES_HELD[stage] : 0), 0);
  return terms ? terms.stake * BigInt(held) : 0n;
}

/** What the page of turns can be asked to do for one leg: to sign a move that two sign, or to show its evidence. */
type Asked = Pick<MoveOffer, 'percent'> & { readonly action: MoveOffer['action'] | 'read' };

/** Where somebody does it. @param id of the package or the task @param percent of an agreement */
export function joinPath(kind: Kind, id: string, legId: string, { action, percent }: Asked): string {
  const asked = new URLSearchParams({ [kind]: id, leg: legId, action });
  if (percent !== undefined) asked.set('percent', String(percent));
  return `${PAGES.turns}?${asked}`;
}
