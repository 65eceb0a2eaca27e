import { type Assets, inAsset, lamportsOf } from '../ledger/assets.js';
import {
  type Agent,
  type Reputation,
  LegworkError,
  toLamports,
  type AgentOrder,
  type ListedAgent,
  LEG_STATUSES,
  type LegStatus,
  type QueuedLeg,
  type ShownLedger,
} from '@legwork/protocol/contract';
import type { AgentRow, ReputationRow } from '../db/schema.js';
import { reputationAddress } from '@legwork/program-client';
import { address } from '@solana/kit';
import { standingOf } from '../coordinator/chooseChain.js';
import { findAgent, readHistory } from './agentRows.js';
import { findReputation, standingInMirror } from './reputationRows.js';
import { requiresSignature } from '../identity/signingKeys.js';
import type { In, Out } from '../operations/run.js';
import { pageOfAgents, type RankedAgentRow } from './ranking.js';
import {
  cutPage,
  numberPosition,
  numbersPosition,
  readCursor,
  timePosition,
  idPosition,
} from '../operations/cursor.js';
import { legShare } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import { finalityOf, type NotFinal, readNotFinal } from '../db/finality.js';
import { pageOfDigitalLegs, pageOfLegs, type QueuedDigitalLegRow, type QueuedLegRow } from '../legs/legRows.js';
import { packageSubject, taskSubject } from '../db/listings.js';
import { isAtWork, resourceUriOf } from '../tasks/read.js';
import { viewLeg, viewTurn } from '../legs/read.js';

/** `registered` is undefined for a wallet that never registered. */
export function viewAgent(agentPubkey: string, registered: AgentRow | undefined, signedOnly: boolean): Agent {
  return {
    agentPubkey,
    displayName: registered?.display_name ?? null,
    capabilities: registered?.capabilities ?? [],
    requireSignedCalls: signedOnly,
    registeredAt: registered?.registered_at ?? null,
  };
}

/** The mirror of a reputation account; zeros when the ledger shows none. */
export function viewReputation(agentPubkey: string, onChainPDA: string, row: ReputationRow | undefined): Reputation {
  return {
    agentPubkey,
    onChainPDA,
    legsAccepted: Number(row?.legs_accepted ?? 0n),
    legsCompleted: Number(row?.legs_completed ?? 0n),
    reliabilityScore: row?.reliability_score ?? 0,
    mirroredAt: row?.mirrored_at ?? null,
  };
}

export async function getAgent({ db, config, ledger }: AppContext, { agentPubkey }: In<'getAgent'>): Out<'getAgent'> {
  const [account, registered, signedOnly, reputation, standing, history] = await Promise.all([
    reputationAddress(ledger.programAddress, address(agentPubkey)),
    findAgent(db, agentPubkey),
    requiresSignature(db, config.unsignedCalls, agentPubkey),
    findReputation(db, agentPubkey),
    standingInMirror(db, agentPubkey),
    readHistory(db, agentPubkey),
  ]);
  if (!registered && !reputation && history.bids === 0n && !history.has_claims) {
    throw LegworkError.field('not_found', 'agentPubkey', 'nothing is known of this wallet: it never registered or bid');
  }
  return {
    answer: {
      ...viewAgent(agentPubkey, registered, signedOnly),
      reputation: viewReputation(agentPubkey, account, reputation),
      trust: {
        adjustmentPercent: standing.trust_adjustment,
        isNewcomer: !standing.has_history,
        weightPercent: standingOf(config, standing),
      },
      history: {
        legsPending: Number(history.legs_pending),
        legsCompleted: Number(history.legs_completed),
        legsLost: Number(history.legs_lost),
        earnedLamports: toLamports(history.earned),
        bids: Number(history.bids),
        lastCompletedAt: history.last_completed_at,
      },
    },
  };
}

/** Where an agent stands in each order: what the order goes by, then the address. */
const POSITIONS: Record<AgentOrder, typeof timePosition | typeof numberPosition | typeof numbersPosition> = {
  newest: timePosition,
  earned: numberPosition,
  recent: timePosition,
  completed: numberPosition,
  reliability: numbersPosition,
};

export async function listAgents(
  { config, db }: AppContext,
  { order, q, limit, cursor }: In<'listAgents'>,
): Out<'listAgents'> {
  const after = readCursor<readonly string[]>(POSITIONS[order], cursor);
  const rows = await pageOfAgents(db, config.unsignedCalls, { order, prefix: q, after, limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, (row) => [...keysOf(order, row), row.agent_pubkey]);
  return { answer: page.map(viewListedAgent), nextCursor };
}

/** The sort keys of this agent in the order. */
function keysOf(order: AgentOrder, row: RankedAgentRow): string[] {
  const { registered_at, last_completed_at, legs_completed, reliability_score, earned } = row;
  const keys = {
    newest: [registered_at?.toISOString()],
    earned: [earned],
    recent: [last_completed_at?.toISOString()],
    completed: [legs_completed],
    reliability: [reliability_score, legs_completed],
  }[order];
  return keys.map(String);
}

function viewListedAgent(row: RankedAgentRow): ListedAgent {
  return {
    agentPubkey: row.agent_pubkey,
    displayName: row.display_name,
    capabilities: row.capabilities ?? [],
    requireSignedCalls: row.signed_only,
    registeredAt: row.registered_at,
    reputation: {
      legsAccepted: Number(row.legs_accepted ?? 0n),
      legsCompleted: Number(row.legs_completed ?? 0n),
      reliabilityScore: row.reliability_score ?? 0,
    },
    earnedLamports: row.earned ?? toLamports(0n),
    lastCompletedAt: row.last_completed_at,
  };
}

export async function getReputation(context: AppContext, { agentPubkey }: In<'getReputation'>): Out<'getReputation'> {
  const [account, row] = await Promise.all([
    reputationAddress(context.ledger.programAddress, address(agentPubkey)),
    findReputation(context.db, agentPubkey),
  ]);
  return { answer: viewReputation(agentPubkey, account, row) };
}

type Input = In<'listAgentLegs'>;

export async function listAgentLegs(context: AppContext, input: In<'listAgentLegs'>): Out<'listAgentLegs'> {
  const legs = await newestOfBoth(context, input);
  const { page, nextCursor } = cutPage(legs, input.limit, (leg) => [leg.id]);
  return { answer: page, nextCursor };
}

function isLegStatus(status: Input['status']): status is LegStatus | undefined {
  return status === undefined || LEG_STATUSES.some((known) => known === status);
}

/** The newest legs of both kinds before a position: enough of each to fill a page alone. */
async function newestOfBoth({ db, ledger, shownLedger, clock }: AppContext, input: Input): Promise<QueuedLeg[]> {
  const { agentPubkey, status } = input;
  const [before] = readCursor(idPosition, input.cursor) ?? [];
  const page = { agentPubkey, before, limit: input.limit + 1 };
  const [physical, digital] = await Promise.all([
    // Only digital legs have the other statuses.
    isLegStatus(status) ? pageOfLegs(db, { ...page, status }) : [],
    pageOfDigitalLegs(db, { ...page, status }),
  ]);
  const subjects = [...physical.map(packageOf), ...digital.map(({ task_id: taskId }) => taskSubject(taskId))];
  const notFinal = await readNotFinal(db, subjects);
  const at = { assets: ledger.assets, notFinal, now: clock() };
  const legs = [
    ...physical.map((row) => viewQueuedLeg({ shownLedger, ...at }, row)),
    ...digital.map((row) => viewQueuedDigitalLeg(at, row)),
  ];
  return legs.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
}

const packageOf = (row: QueuedLegRow) => packageSubject(row.package_id);

/** When legs are shown, and what of them was not final then. */
interface ShownAt {
  assets: Assets;
  notFinal: NotFinal;
  now: Date;
}

/** A leg of a package in the queue of its courier. */
function viewQueuedLeg(
  { shownLedger, assets, notFinal, now }: ShownAt & { shownLedger: ShownLedger },
  row: QueuedLegRow,
): QueuedLeg {
  return {
    ...inAsset(assets, row),
    ...viewLeg(shownLedger, row, {
      terms: row.terms,
      now,
      startedAt: row.started_at,
      finality: finalityOf(notFinal, packageOf(row), row.confirm_signature),
    }),
    kind: 'physical',
    packageId: row.package_id,
    packageStatus: row.package_status,
    packageDescription: row.package_description,
    deadline: row.deadline,
    swarmId: row.swarm_id,
    swarmStatus: row.swarm_status,
    isTurn: row.is_turn,
    recipientPubkey: row.recipient_pubkey,
    takeOverLegId: row.take_over_leg_id,
  };
}

/** A leg of a digital task in the queue of its agent. Rule S-61. */
function viewQueuedDigitalLeg({ assets, notFinal, now }: ShownAt, row: QueuedDigitalLegRow): QueuedLeg {
  const share = legShare(row.max_budget_lamports, row.num_legs);
  return {
    ...inAsset(assets, row),
    kind: 'digital',
    id: row.id,
    legIndex: row.leg_index,
    instruction: row.instruction,
    status: row.status,
    finality: finalityOf(notFinal, taskSubject(row.task_id), row.confirm_signature),
    isWorkable: row.is_workable,
    agentPubkey: row.agent_pubkey,
    bid: row.bid_lamports,
    bidLamports: row.bid_lamports && lamportsOf(row, row.bid_lamports),
    claimedAt: row.claimed_at,
    dueAt: isAtWork(row) ? row.due_at : null,
    payment: row.payment_lamports,
    paymentLamports: row.payment_lamports && lamportsOf(row, row.payment_lamports),
    completedAt: row.completed_at,
    ...viewTurn('task', row, { terms: row.terms, now }),
    taskId: row.task_id,
    taskStatus: row.task_status,
    taskTitle: row.task_title,
    deadline: row.deadline,
    paymentPerLeg: share,
    paymentPerLegLamports: lamportsOf(row, share),
    hasResult: row.result_hash !== null,
    onChainLeg: row.on_chain_leg,
    resourceUri: resourceUriOf(row.task_id),
  };
}
