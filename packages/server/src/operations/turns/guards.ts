import { RelayError } from '@legwork/protocol/contract';
import type { Db, Trx } from '../../db/connect.js';
import { type ClockedLeg, findLeg, isClocked } from '../../db/legMoves.js';
import type { LegToMove } from '../../ledger/moveInstructions.js';

/** A leg with terms whose swarm is formed. */
export type LegOfTerms = LegToMove & { leg: ClockedLeg };

/** @throws RelayError `not_found`; `invalid_status` when its package has no terms */
export async function requireLegOfTerms(db: Db | Trx, legId: string): Promise<LegOfTerms> {
  const found = await findLeg(db, legId);
  if (found === undefined) throw RelayError.field('not_found', 'legId', 'no leg has this id');
  const { leg } = found;
  if (found.parcel.terms !== null && isClocked(leg)) return { ...found, leg };
  throw RelayError.field(
    'invalid_status',
    'legId',
    found.parcel.terms === null
      ? 'is of a package without terms: it is confirmed by its recipient, and there are no other moves'
      : 'is of a swarm that the ledger has not shown yet',
  );
}

/** The same of a leg that still has its courier. @throws RelayError `not_found`, `invalid_status` */
export async function requireLiveLeg(db: Db | Trx, legId: string): Promise<LegOfTerms> {
  const found = await requireLegOfTerms(db, legId);
  if (found.leg.ended_at === null && found.swarm.status === 'active') return found;
  const why = found.leg.ended_at === null ? `its swarm is ${found.swarm.status}` : 'another courier took its place';
  throw RelayError.field('invalid_status', 'legId', `is of a leg that is over: ${why}`);
}

/** Who has a part in a leg: its courier, the next one, shipper and receiver. Rule T-64. */
export function partiesOf({ parcel, swarm, leg }: LegToMove): string[] {
  const next = swarm.legs[leg.leg_index + 1]?.agent_pubkey;
  return [leg.agent_pubkey, next, parcel.shipper_pubkey, parcel.terms?.receiverPubkey].flatMap((one) => one ?? []);
}
