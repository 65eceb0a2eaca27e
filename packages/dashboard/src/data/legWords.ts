import { type LegStage, type PackageStatus, type TaskStatus, type Terms, PAGES } from '@legwork/protocol/contract';
import type { Leg, MoveOffer } from '@legwork/sdk';
import { type Coordinate, isPickedUp, STAKES_HELD } from '@legwork/protocol/rules';
import { m, type Message, t } from '../language.js';

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

/** Where a leg with terms stands. */
const STAGES: Readonly<Record<LegStage, Message>> = {
  pending: m('awaiting acceptance'),
  accepted: m('accepted'),
  carried: m('in transit'),
  claimed: m('claimed'),
  disputed: m('disputed'),
  ruled: m('ruled'),
  vacant: m('open again'),
  completed: m('paid'),
};

/** @param percent what a ruling left of its payment; null: none */
export function stageWord(stage: LegStage, percent: number | null): string {
  const isRuled = percent !== null && (stage === 'ruled' || stage === 'completed');
  return isRuled ? `${t(STAGES[stage])}, ${percent} %` : t(STAGES[stage]);
}

/** The same where it stands alone: `Awaiting acceptance`. */
export const stageTitle = (stage: LegStage, percent: number | null = null): string =>
  stageWord(stage, percent).replace(/^./, (first) => first.toUpperCase());

/** What is on its way or was. */
export interface Ways {
  readonly status: PackageStatus | TaskStatus;
  readonly legs: readonly WayLeg[];
  /** Of a relay on the map, which does not tell its rulings: what its legs paid, and what they were to pay. */
  readonly paid?: bigint;
  readonly total?: bigint | null;
}

interface WayLeg {
  readonly stage: LegStage | null;
  readonly status?: string;
  readonly percent?: number | null;
  readonly agentPubkey?: string | null;
  readonly pickupLat?: number;
  readonly pickupLng?: number;
  readonly dropoffLat?: number;
  readonly dropoffLng?: number;
}

/** Who the couriers are and where the parcel waits, in words. */
interface Names {
  readonly nameOf: (pubkey: string) => string;
  /** Of `waitsAt`. */
  readonly place: string | undefined;
}

/** The first leg of a relay that is not over, and whether it is the first of all. */
function legUnderWay({ status, legs }: Ways): { readonly leg: WayLeg; readonly isFirst: boolean } | undefined {
  if (status !== 'in_transit') return undefined;
  const at = legs.findIndex((leg) => leg.status !== 'completed' && leg.stage !== 'completed');
  const leg = legs[at];
  return leg && { leg, isFirst: at === 0 };
}

/** Where a parcel lies that nobody carries: at the beginning of the next leg, or at the end that its courier claims. */
export function waitsAt(of: Ways): Coordinate | undefined {
  const { leg, isFirst } = legUnderWay(of) ?? {};
  const isThere = leg?.stage === 'claimed';
  if (!leg?.stage || (!isThere && (isFirst || isPickedUp(leg.stage)))) return undefined;
  const { pickupLat, pickupLng, dropoffLat, dropoffLng } = leg;
  const [lat, lng] = isThere ? [dropoffLat, dropoffLng] : [pickupLat, pickupLng];
  return lat === undefined || lng === undefined ? undefined : { lat, lng };
}

/**
 * What the status of a package or a task is called where its usual word says too little. Rule D-40.
 *
 * @returns undefined: its usual word
 */
export function statusWord(of: Ways, names: Names): string | undefined {
  const now = legUnderWay(of);
  if (now !== undefined) return wayWord(now.leg, now.isFirst, names);
  if (of.status !== 'delivered' && of.status !== 'completed') return undefined;
  const percent = of.legs.at(-1)?.percent ?? null;
  if (percent !== null) return t('Settled at {percent} %', { percent });
  const isInPart = of.paid !== undefined && of.paid < (of.total ?? 0n);
  return isInPart ? t('Settled in part') : undefined;
}

function wayWord({ stage, agentPubkey }: WayLeg, isFirst: boolean, { nameOf, place }: Names): string | undefined {
  switch (stage) {
    case 'pending':
    case 'accepted':
      if (isFirst) return t('Awaiting pickup');
      return place === undefined ? t('Waiting en route') : t('Waiting at {place}', { place });
    case 'vacant':
      return t('Looking for a replacement');
    case 'claimed':
      return place === undefined ? t('Arrival claimed') : t('Claimed to be at {place}', { place });
    case 'disputed':
      return t('Disputed');
    case 'ruled':
      return t('Ruled, not yet paid');
    case 'carried':
    case 'completed':
    case null:
      break;
  }
  return agentPubkey ? t('On the way with {courier}', { courier: nameOf(agentPubkey) }) : undefined;
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
