import type { EventType, LegworkEvent } from '@legwork/protocol/contract';
import { toLamports } from '@legwork/sdk';

type Of<T extends EventType> = Extract<LegworkEvent, { type: T }>;

const KEY = '1'.repeat(32);
const ACCOUNT = 'So11111111111111111111111111111111111111112';
const ID = '018f0000-0000-7000-8000-000000000001';
const place = { lat: 52.5, lng: 13.4 };
const ofPackage = { packageId: ID };
const ofTask = { taskId: ID };
const leg = { legId: ID, legIndex: 0, agentPubkey: KEY };
const moved = { kind: 'package', ...ofPackage, ...leg, swarmId: ID } as const;
const deadline = new Date('2030-01-01T00:00:00Z');

const PAYLOADS: { readonly [T in EventType]: Omit<Of<T>, 'type' | 'seq' | 'occurredAt'> } = {
  PACKAGE_LISTED: {
    ...ofPackage,
    shipperPubkey: KEY,
    origin: place,
    destination: place,
    maxBudgetLamports: toLamports(300_000_000n),
    deadline,
    onChainPackage: ACCOUNT,
    listSignature: 'listed',
  },
  BID_STORED: { ...ofPackage, bidId: ID, agentPubkey: KEY, costLamports: toLamports(30_000_000n) },
  BID_WITHDRAWN: { ...ofPackage, bidId: ID, agentPubkey: KEY },
  SWARM_FORMED: {
    ...ofPackage,
    swarmId: ID,
    onChainSwarm: ACCOUNT,
    formSignature: 'formed',
    totalLegs: 2,
    totalLamports: toLamports(155_000_000n),
  },
  BID_RECEIVED: {
    ...ofPackage,
    ...leg,
    swarmId: ID,
    costLamports: toLamports(30_000_000n),
    agreedPaymentLamports: toLamports(33_500_000n),
  },
  LEG_CONFIRMED: {
    ...ofPackage,
    ...leg,
    swarmId: ID,
    paymentLamports: toLamports(33_500_000n),
    signature: 'confirmed',
  },
  PACKAGE_DELIVERED: { ...ofPackage, settleSignature: 'settled', refundLamports: toLamports(145_000_000n) },
  PACKAGE_FAILED: { ...ofPackage, failureReason: 'cancelled' },
  TASK_LISTED: {
    ...ofTask,
    shipperPubkey: KEY,
    title: 'Feedback',
    numLegs: 2,
    maxBudgetLamports: toLamports(200_000_000n),
    deadline,
    onChainTask: ACCOUNT,
    listSignature: 'listed',
  },
  TASK_LEG_CLAIMED: { ...ofTask, ...leg, isWorkable: true },
  TASK_LEG_ASSIGNED: { ...ofTask, ...leg, dueAt: deadline, signature: 'assigned' },
  TASK_LEG_RELEASED: { ...ofTask, ...leg, reason: 'timeout', signature: 'released' },
  TASK_LEG_COMPLETED: {
    ...ofTask,
    ...leg,
    paymentLamports: toLamports(100_000_000n),
    resultHash: 'ab',
    signature: 'completed',
  },
  TASK_COMPLETED: { ...ofTask, settleSignature: 'settled', refundLamports: toLamports(0n) },
  TASK_FAILED: { ...ofTask, failureReason: 'reclaimed' },
  LEG_ACCEPTED: { ...moved, signature: 'accepted', stakeLamports: toLamports(30_000_000n) },
  LEG_CARRIED: { ...moved, signature: 'carried', until: deadline },
  LEG_VACATED: { ...moved, signature: 'vacated', forfeitedLamports: toLamports(0n) },
  LEG_OPENED: {
    kind: 'package',
    ...ofPackage,
    swarmId: ID,
    legId: ID,
    legIndex: 0,
    pickup: place,
    dropoff: place,
    maxCostLamports: toLamports(33_500_000n),
    closesAt: deadline,
  },
  LEG_REPLACED: {
    ...moved,
    signature: 'replaced',
    formerLegId: ID,
    formerAgentPubkey: KEY,
    agreedPaymentLamports: toLamports(33_500_000n),
  },
  LEG_CLAIMED: { ...moved, signature: 'claimed', evidenceHash: 'ab', until: deadline },
  LEG_DISPUTED: { ...moved, signature: 'disputed', disputerPubkey: KEY, reasonHash: 'cd', until: deadline },
  LEG_RULED: { ...moved, signature: 'ruled', by: 'arbiter', percent: 60 },
  LEDGER_REVERTED: { ...ofPackage, instruction: 'confirm_leg', signature: 'reverted' },
  LEDGER_HEALED: { ...ofPackage, changes: [{ legIndex: 0, was: 'completed', is: 'pending' }] },
};

/** An event of a type as the stream has it. @param changed fields of its own */
export function anEvent<T extends EventType>(type: T, changed: Partial<Of<T>> = {}): Of<T> {
  const event: unknown = { type, seq: 1, occurredAt: new Date('2029-12-31T23:00:00Z'), ...PAYLOADS[type], ...changed };
  return event as Of<T>;
}
