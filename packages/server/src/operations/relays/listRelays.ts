import { lamportsFromWire, type operations, parseBox, type Relay, sumLamports } from '@legwork/protocol/contract';
import type { Box } from '../../db/near.js';
import { type RelayLeg, type RelayRow, relaysOf } from '../../db/relays.js';
import type { Run } from '../run.js';

export const listRelays: Run<typeof operations.listRelays> = async ({ db }, { status, bbox, limit }) => {
  const rows = await relaysOf(db, { status, box: bbox === undefined ? undefined : boxOf(bbox), limit });
  return { answer: rows.map(viewRelay) };
};

function boxOf(bbox: string): Box {
  const { west, south, east, north } = parseBox(bbox);
  const lng =
    west <= east
      ? ([[west, east]] as const)
      : ([
          [west, 180],
          [-180, east],
        ] as const);
  return { lat: [south, north], lng };
}

/** Stages in which the courier of the current leg has the parcel. */
const HELD: ReadonlySet<string> = new Set(['carried', 'claimed', 'disputed', 'ruled']);

function viewRelay(row: RelayRow): Relay {
  const legs = row.legs ?? [];
  const completed = legs.filter(({ status }) => status === 'completed');
  const current = row.status === 'in_transit' ? legs[completed.length] : undefined;
  const held = current && (current.stage === null || HELD.has(current.stage)) ? current : undefined;
  return {
    id: row.id,
    status: row.status,
    description: row.description,
    originLat: row.origin_lat,
    originLng: row.origin_lng,
    destLat: row.dest_lat,
    destLng: row.dest_lng,
    legs: legs.map(viewLeg),
    completedLegs: completed.length,
    totalLegs: legs.length,
    holder: held?.agentPubkey ?? null,
    legStartedAt: held ? (instant(completed.at(-1)?.completedAt) ?? row.formed_at) : null,
    estimatedDurationMin: held?.durationMin ?? null,
    paidLamports: sumLamports(completed.map((leg) => lamportsFromWire(leg.paymentLamports))),
    totalLamports: row.total_lamports,
    maxBudgetLamports: row.max_budget_lamports,
    listedAt: row.listed_at,
  };
}

function viewLeg({ agentPubkey, status, stage, completedAt, ...leg }: RelayLeg) {
  return {
    agentPubkey,
    pickupLat: leg.pickup_lat,
    pickupLng: leg.pickup_lng,
    dropoffLat: leg.dropoff_lat,
    dropoffLng: leg.dropoff_lng,
    status,
    stage,
    completedAt: instant(completedAt),
  };
}

function instant(json: string | null | undefined): Date | null {
  return typeof json === 'string' ? new Date(json) : null;
}
