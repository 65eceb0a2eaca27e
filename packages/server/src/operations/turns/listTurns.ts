import type { LegTurnView, operations } from '@legwork/protocol/contract';
import { legActions, legTurn } from '@legwork/protocol/rules';
import { clockedListing } from '../../db/legMoves.js';
import type { PackageRow } from '../../db/schema.js';
import { formedSwarms, type SwarmWithLegs } from '../../db/swarms.js';
import { packagesOfParty } from '../../db/turns.js';
import { readLedgerTime } from '../../ledger/ledger.js';
import { termsOf } from '../../ledger/terms.js';
import type { Run } from '../run.js';

/** What alone makes no turn: what both sides may do at any time. */
const AT_ANY_TIME: ReadonlySet<string> = new Set(['agree']);

export const listTurns: Run<typeof operations.listTurns> = async (context, { pubkey }) => {
  const parcels = await packagesOfParty(context.db, pubkey);
  if (parcels.length === 0) return { answer: [] };
  const swarms = await formedSwarms(
    context.db,
    parcels.map(({ id }) => id),
  );
  const now = (await readLedgerTime(context.ledger)).getTime();
  const turns = parcels.flatMap((parcel) => {
    const swarm = swarms.get(parcel.id);
    return swarm ? turnsIn(parcel, swarm, pubkey, now) : [];
  });
  return { answer: turns.toSorted(byEnd) };
};

function turnsIn(parcel: PackageRow, swarm: SwarmWithLegs, pubkey: string, now: number): LegTurnView[] {
  const listing = clockedListing(parcel, swarm.legs);
  const { stakeLamports } = termsOf(parcel);
  return swarm.legs.flatMap((leg) => {
    const turn = legTurn(listing, leg.leg_index, now);
    const actions = legActions(listing, leg.leg_index, pubkey, now);
    const isRunning = turn !== null && turn.actor !== 'nobody';
    if (!isRunning || leg.stage === null || actions.every((one) => AT_ANY_TIME.has(one))) return [];
    return [
      {
        kind: 'package' as const,
        packageId: parcel.id,
        legId: leg.id,
        legIndex: leg.leg_index,
        agentPubkey: leg.agent_pubkey,
        stage: leg.stage,
        actions,
        until: turn.until,
        silence: turn.silence,
        stakeLamports,
        paymentLamports: leg.agreed_payment_lamports,
      },
    ];
  });
}

/** What ends first comes first; what never ends, last. */
function byEnd(one: LegTurnView, other: LegTurnView): number {
  return (one.until?.getTime() ?? Infinity) - (other.until?.getTime() ?? Infinity) || one.legIndex - other.legIndex;
}
