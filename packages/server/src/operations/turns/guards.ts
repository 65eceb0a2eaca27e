import { RelayError } from '@legwork/protocol/contract';
import type { Db, Trx } from '../../db/connect.js';
import { type ClockedLeg, findBoundLeg, isClocked, isPackage, kindOf, type LegToMove } from '../../db/legMoves.js';
import { standingRuling } from '../../db/turns.js';
import { TASK } from '../digitalTasks/guards.js';
import type { Named } from '../exits.js';
import { PACKAGE } from '../packages/guards.js';

/** A leg with terms that somebody has: its swarm is formed, or it is assigned to an agent. */
export type LegOfTerms = LegToMove & { leg: ClockedLeg };

async function findOfTerms(db: Db | Trx, legId: string): Promise<{ of: LegOfTerms; isOver: string | undefined }> {
  const found = await findBoundLeg(db, legId);
  if (found === undefined) throw RelayError.field('not_found', 'legId', 'no leg has this id');
  const { listing, of, isOver } = found;
  if (of && isClocked(of.leg)) return { of: { ...of, leg: of.leg }, isOver };
  const kind = kindOf(listing);
  const pending = kind === 'package' ? 'of a swarm that the ledger has not shown yet' : 'assigned to nobody';
  throw RelayError.field(
    'invalid_status',
    'legId',
    listing.terms === null ? `is of a ${kind} without terms: its legs have no such moves` : `is ${pending}`,
  );
}

/** @throws RelayError `not_found`; `invalid_status` when its listing has no terms, or nobody has it */
export async function requireLegOfTerms(db: Db | Trx, legId: string): Promise<LegOfTerms> {
  return (await findOfTerms(db, legId)).of;
}

/** The same of a leg that is not over. @throws RelayError `not_found`, `invalid_status` */
export async function requireLiveLeg(db: Db | Trx, legId: string): Promise<LegOfTerms> {
  const { of, isOver } = await findOfTerms(db, legId);
  if (isOver === undefined) return of;
  throw RelayError.field('invalid_status', 'legId', `is of a leg that is over: ${isOver}`);
}

/** A ruling stands, whatever has become of the leg since. Rule S-168. @throws RelayError `invalid_status` with what was ruled, and when */
export async function requireNotRuled(db: Db | Trx, legId: string): Promise<void> {
  const ruling = await standingRuling(db, legId);
  if (ruling === undefined) return;
  const { by_whom: byWhom, percent, at, signature } = ruling;
  const by = byWhom === null ? '' : ` by ${BY[byWhom]}`;
  throw RelayError.field(
    'invalid_status',
    'legId',
    `is of a leg that was ruled already${by}, at ${at.toISOString()}: ${percent ?? 0} % of the payment is its worker's (transaction ${signature}); a ruling stands`,
  );
}

const BY = { arbiter: 'the arbiter', agreement: 'agreement of both sides', silence: 'silence' } as const;

/** How refusals name what the leg is of. */
export const named = ({ listing }: LegToMove): Named => (isPackage(listing) ? PACKAGE : TASK);

/** Who has a part in a leg: its worker, the next courier, lister and receiver. Rule T-64. */
export function partiesOf({ listing, legs, leg }: LegToMove): string[] {
  const next = legs[leg.leg_index + 1]?.agent_pubkey;
  return [leg.agent_pubkey, next, listing.shipper_pubkey, listing.terms?.receiverPubkey].flatMap((one) => one ?? []);
}
