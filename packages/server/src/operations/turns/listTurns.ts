import type { LegTurnView, operations } from '@legwork/protocol/contract';
import { keyMoves, legTurn, moveMeaning, silenceFor } from '@legwork/protocol/rules';
import { legsByTask, type LegWithoutResult } from '../../db/digitalLegs.js';
import { clockedListing, isClocked, isPackage, type ListingRow } from '../../db/legMoves.js';
import type { LegRow } from '../../db/schema.js';
import { formedSwarms } from '../../db/swarms.js';
import { listingsUnderWay, positionsOfParty } from '../../db/turns.js';
import { readLedgerTime } from '../../ledger/ledger.js';
import { cutPage, partyPosition, readCursor } from '../cursor.js';
import type { Run } from '../run.js';
import { explain } from './explainedLeg.js';

/** The page is cut out of listings, and not of turns: what follows from a clock has no order that lasts from page to page. */
export const listTurns: Run<typeof operations.listTurns> = async (context, { pubkey, limit, cursor }) => {
  const [rank, id] = readCursor(partyPosition, cursor) ?? [];
  const after = rank === undefined || id === undefined ? undefined : { rank: Number(rank), id };
  const positions = await positionsOfParty(context.db, pubkey, { after, limit: limit + 1 });
  if (positions.length === 0) return { answer: [] };
  const { page, nextCursor } = cutPage(positions, limit, (one) => [String(one.rank), one.id]);
  const { parcels, tasks } = await listingsUnderWay(context.db, page.map(idOf));
  const swarms = await formedSwarms(context.db, parcels.map(idOf));
  const legs = await legsByTask(context.db, tasks.map(idOf));
  const now = (await readLedgerTime(context.ledger)).getTime();
  const turns = [
    ...parcels.flatMap((parcel) => turnsIn(parcel, swarms.get(parcel.id)?.legs ?? [], pubkey, now)),
    ...tasks.flatMap((task) => turnsIn(task, legs.get(task.id) ?? [], pubkey, now)),
  ];
  return { answer: turns.toSorted(byEnd), nextCursor };
};

const idOf = ({ id }: { id: string }) => id;

function turnsIn(
  listing: ListingRow,
  legs: readonly (LegRow | LegWithoutResult)[],
  pubkey: string,
  now: number,
): LegTurnView[] {
  const clocked = clockedListing(listing, legs);
  return legs.filter(isClocked).flatMap((leg) => {
    const actor = legTurn(clocked, leg.leg_index, now)?.actor ?? 'nobody';
    const { part, awaited, actions, makeTurn, until } = keyMoves(clocked, leg.leg_index, pubkey, now);
    if (actor === 'nobody' || !makeTurn) return [];
    const explained = explain(listing, leg);
    return [
      {
        ...(isPackage(listing)
          ? { kind: 'package' as const, packageId: listing.id }
          : { kind: 'task' as const, taskId: listing.id }),
        legId: leg.id,
        legIndex: leg.leg_index,
        agentPubkey: leg.agent_pubkey,
        stage: leg.stage,
        actions: [...actions],
        awaited,
        moves: actions.map((action) => moveMeaning(action, explained, part)),
        actor,
        until,
        silence: silenceFor(part, explained),
        stakeLamports: explained.stakeLamports,
        paymentLamports: explained.paymentLamports,
      },
    ];
  });
}

/** What ends first comes first; what never ends, last. */
function byEnd(one: LegTurnView, other: LegTurnView): number {
  return (one.until?.getTime() ?? Infinity) - (other.until?.getTime() ?? Infinity) || one.legIndex - other.legIndex;
}
