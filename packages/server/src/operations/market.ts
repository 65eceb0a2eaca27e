import {
  lamportsToSolNumber,
  type operations,
  toLamports,
  LEADERBOARD_SIZE,
  lamportsFromWire,
  parseBox,
  type Relay,
  sumLamports,
  EVENT_TYPES,
  eventFrame,
  parseTopics,
  MAX_LOOKUP_MATCHES,
  readLookup,
} from '@legwork/protocol/contract';
import type { Run } from './run.js';
import { mostReliable } from '../agents/reputationRows.js';
import { viewReputation } from '../agents/read.js';
import type { Box } from '../db/near.js';
import { type RelayLeg, type RelayRow, relaysOf } from '../db/relays.js';
import { frameOf, type LoggedEvent, pageOfEvents } from '../db/events.js';
import { packageSubject, taskSubject } from '../db/listings.js';
import { cutPage, readCursor, seqPosition } from './cursor.js';
import { lookUpAddress, lookUpIdEnd, lookUpTransaction } from '../db/lookup.js';

export const getStats: Run<typeof operations.getStats> = async ({ counts }) => {
  const { packages, digitalTasks, swarms, bids, agents, paidLamports, ...now } = await counts();
  const volumeLamports = toLamports(paidLamports);
  return {
    answer: {
      packages: sumOf(packages),
      packagesByStatus: packages,
      digitalTasks: sumOf(digitalTasks),
      digitalTasksByStatus: digitalTasks,
      swarms,
      bids,
      agents,
      volumeLamports,
      volumeSol: lamportsToSolNumber(volumeLamports),
      escrowLamports: toLamports(now.escrowLamports),
      lastEventSeq: Number(now.lastEventSeq),
      medianFormationMs: now.medianFormationMs,
    },
  };
};

function sumOf(byStatus: Record<string, number>): number {
  return Object.values(byStatus).reduce((sum, count) => sum + count, 0);
}

export const getLeaderboard: Run<typeof operations.getLeaderboard> = async ({ db }) => {
  const rows = await mostReliable(db, LEADERBOARD_SIZE);
  return {
    answer: rows.map((row, index) => ({
      ...viewReputation(row.agent_pubkey, row.on_chain_pda, row),
      rank: index + 1,
      displayName: row.display_name,
    })),
    // It has one page.
    total: () => Promise.resolve(rows.length),
  };
};

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

export const listEvents: Run<typeof operations.listEvents> = async ({ db }, input) => {
  const { package: packageId, task: taskId, topics, before = Number.MAX_SAFE_INTEGER, limit, cursor } = input;
  const [reached = before] = readCursor(seqPosition, cursor) ?? [];
  const filter = {
    subject: packageId ? packageSubject(packageId) : taskId && taskSubject(taskId),
    topics: topics === undefined ? undefined : parseTopics(topics),
  };
  const rows = await pageOfEvents(db, filter, { before: BigInt(reached), limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, ({ seq }) => [String(seq)]);
  return { answer: page.filter(isKnown).map((event) => eventFrame.parse(frameOf(event))), nextCursor };
};

/** Beside a newer replica the log may hold types that this one cannot describe. */
function isKnown({ type }: LoggedEvent): boolean {
  return EVENT_TYPES.some((known) => known === type);
}

export const lookup: Run<typeof operations.lookup> = async ({ db }, { text }) => {
  const { idEnd, address, signature } = readLookup(text);
  const found = await Promise.all([
    idEnd === undefined ? [] : lookUpIdEnd(db, idEnd),
    address === undefined ? [] : lookUpAddress(db, address),
    signature === undefined ? [] : lookUpTransaction(db, signature),
  ]);
  return { answer: { matches: found.flat().slice(0, MAX_LOOKUP_MATCHES) } };
};
