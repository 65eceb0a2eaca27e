import { LegStatus, type Terms, type Turn } from '@legwork/program-client';
import { type LegFacts, type ListingFacts, stakesHeld, type TurnFacts } from '@legwork/program-client/facts';
import type { LegStage } from '@legwork/protocol/contract';
import { type Option, unwrapOption } from '@solana/kit';
import type { SameOnLedger } from './ledgerAccounts.js';

const STAGE: Record<LegStage, LegStatus> = {
  pending: LegStatus.Pending,
  accepted: LegStatus.Accepted,
  carried: LegStatus.Carried,
  claimed: LegStatus.Claimed,
  disputed: LegStatus.Disputed,
  ruled: LegStatus.Ruled,
  vacant: LegStatus.Vacant,
  completed: LegStatus.Completed,
};

/** The version of what belongs to a package or task with terms, and of what does not. Rule T-4. */
const WITH_TERMS = 2;
const PLAIN = 1;
/** The note of a leg that no reputation counts yet. */
const NOT_COUNTED = 3;

const TERMS: Record<keyof Terms, string> = {
  receiver: 'receiver',
  arbiter: 'arbiter',
  stake: 'stake in lamports',
  carry: 'seconds to carry',
  handoff: 'seconds to hand over',
  review: 'seconds to review',
  arbitration: 'seconds to rule',
  flags: 'flags',
};

/** Compares what binds both sides of a package or task. */
export function compareTerms(
  data: { version: number; terms: Option<Terms> },
  { terms }: ListingFacts,
  same: SameOnLedger,
): void {
  same('version', data.version, terms === null ? PLAIN : WITH_TERMS);
  const found = unwrapOption(data.terms);
  for (const field of Object.keys(TERMS) as (keyof Terms)[]) {
    same(`its terms' ${TERMS[field]}`, found?.[field] ?? null, terms?.[field] ?? null);
  }
}

/** The account of a leg, of either kind. */
interface LegAccount {
  aboveRent: bigint;
  version: number;
  status: LegStatus;
  turn: Option<Turn>;
}

/** Compares where a leg stands, with the stakes that it holds. */
export function compareTurn(
  { aboveRent, version, status, turn: found }: LegAccount,
  leg: LegFacts,
  listing: ListingFacts,
  same: SameOnLedger,
): void {
  const { turn, formation, confirmSignature } = leg;
  const stage = turn?.stage ?? (confirmSignature === null ? 'pending' : 'completed');
  same('version', version, turn === null ? PLAIN : WITH_TERMS);
  same('status', LegStatus[status] ?? null, LegStatus[STAGE[stage]] ?? null);
  const tail = unwrapOption(found);
  same('number', tail?.formation ?? null, turn && formation);
  if (turn?.since !== null) same('unix second', tail?.since ?? null, turn?.since ?? null);
  same('note', tail?.note ?? null, turn && noteOf(turn, listing));
  same('percent', tail?.percent ?? null, turn && (turn.percent ?? 0));
  const stakes = listing.asset === null ? stakesHeld(listing, leg) : 0n;
  // A stranger may have added to it.
  if (aboveRent < stakes) same('lamports above its rent', aboveRent, stakes);
}

/** That it is not counted yet, or its disputer: the lister or the receiver; as the account has it. */
function noteOf({ isCounted, disputer }: TurnFacts, { poster }: ListingFacts): number {
  if (!isCounted) return NOT_COUNTED;
  if (disputer === null) return 0;
  return disputer === poster ? 1 : 2;
}
