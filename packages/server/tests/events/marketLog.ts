import { createUuid, toLamports } from '@legwork/protocol/contract';
import { generateKeyPairSigner } from '@solana/kit';
import type { Db } from '../../src/db/connect.js';
import { appendEvent } from '../../src/db/events.js';
import { inTransaction } from '../../src/db/transaction.js';

export interface At {
  lat: number;
  lng: number;
}

/** A listing, and what is known of it. */
export interface Listing {
  kind: 'package' | 'task';
  id: string;
  subject: string;
}

export const anyKey = async () => (await generateKeyPairSigner()).address;
const signature = '5'.repeat(88);

export async function listPackageAt(db: Db, shipperPubkey: string, origin: At, destination: At): Promise<Listing> {
  const packageId = createUuid();
  const subject = `package:${packageId}`;
  const payload = {
    packageId,
    shipperPubkey,
    origin,
    destination,
    maxBudgetLamports: toLamports(5n),
    deadline: new Date('2030-01-01T00:00:00Z'),
    onChainPackage: shipperPubkey,
    listSignature: signature,
  };
  await inTransaction(db, async (trx) => appendEvent(trx, 'PACKAGE_LISTED', subject, payload));
  return { kind: 'package', id: packageId, subject };
}

export async function listTaskOf(db: Db, shipperPubkey: string): Promise<Listing> {
  const taskId = createUuid();
  const subject = `task:${taskId}`;
  const payload = {
    taskId,
    shipperPubkey,
    title: 'a goal',
    numLegs: 1,
    maxBudgetLamports: toLamports(5n),
    deadline: new Date('2030-01-01T00:00:00Z'),
    onChainTask: shipperPubkey,
    listSignature: signature,
  };
  await inTransaction(db, async (trx) => appendEvent(trx, 'TASK_LISTED', subject, payload));
  return { kind: 'task', id: taskId, subject };
}

/** Somebody bids on a package, or claims a leg of a task. */
export async function joinListing(db: Db, { kind, id, subject }: Listing, agentPubkey: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (kind === 'package') {
      appendEvent(trx, 'BID_STORED', subject, { packageId: id, bidId: createUuid(), agentPubkey });
    } else {
      const leg = { taskId: id, legId: createUuid(), legIndex: 0, agentPubkey, isWorkable: true };
      appendEvent(trx, 'TASK_LEG_CLAIMED', subject, leg);
    }
  });
}

/** A leg of the package is open to others. */
export async function openLegAt(db: Db, { id, subject }: Listing, pickup: At, dropoff: At): Promise<void> {
  const payload = {
    kind: 'package' as const,
    packageId: id,
    swarmId: createUuid(),
    legId: createUuid(),
    legIndex: 0,
    pickup,
    dropoff,
    maxCostLamports: toLamports(1n),
    closesAt: new Date('2030-01-01T00:00:00Z'),
  };
  await inTransaction(db, async (trx) => appendEvent(trx, 'LEG_OPENED', subject, payload));
}

/** The listing is over: an event that names nobody. */
export async function endListing(db: Db, { kind, id, subject }: Listing): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (kind === 'package') {
      appendEvent(trx, 'PACKAGE_FAILED', subject, { packageId: id, failureReason: 'cancelled' });
    } else appendEvent(trx, 'TASK_FAILED', subject, { taskId: id, failureReason: 'cancelled' });
  });
}
