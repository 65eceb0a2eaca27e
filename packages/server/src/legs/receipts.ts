import { findLanded } from '@legwork/program-client/history';
import { type Receipt, receiptsOf, type Told } from '@legwork/program-client/receipts';
import { CREDENTIAL_GRACE_SEC, custodyClaims, LegworkError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { accountOf, isPackage, type ListingRow } from '../db/listings.js';
import { requirePackage, requireTask } from '../listings/kinds.js';
import { signedJwt } from '../identity/credentials.js';
import type { In, Out } from '../operations/run.js';
import { newestSwarm } from '../packages/swarmRows.js';
import { legsOf } from '../tasks/taskLegRows.js';
import { movesOf } from './moveRows.js';

/** Transactions that were read lately: they do not change, so who asks again costs the ledger's node nothing. */
const MOST_KEPT = 1_000;
const kept = new WeakMap<object, Map<string, Told>>();

/** Moves by which something changes hands, or that say who is to have it; after a ruling the end of its leg hands over nothing. */
const HANDS: ReadonlySet<string> = new Set(['accept', 'take', 'handover', 'confirm', 'rule']);

/** The receipts of a package, made from the ledger's transactions. Rule S-211. */
export async function getPackageReceipts(
  context: AppContext,
  { packageId }: In<'getPackageReceipts'>,
): Out<'getPackageReceipts'> {
  const parcel = await requirePackage(context.db, packageId);
  return { answer: { packageId: parcel.id, receipts: await receiptsFor(context, parcel, { packageId: parcel.id }) } };
}

/** The same receipts as one credential of the coordinator, as of now. Rule S-213. */
export async function getPackageCustody(
  context: AppContext,
  { packageId }: In<'getPackageCustody'>,
): Out<'getPackageCustody'> {
  const { coordinator, programAddress: program } = context.ledger;
  const parcel = await requirePackage(context.db, packageId);
  const receipts = await receiptsFor(context, parcel, { packageId: parcel.id });
  const custody = { program, listing: accountOf(parcel), document: parcel.terms_hash, receipts };
  // A verifier whose clock is a little behind must not find it issued in the future.
  const issuedAtMs = context.clock().getTime() - CREDENTIAL_GRACE_SEC * 1000;
  const { header, payload } = custodyClaims({
    issuerPubkey: coordinator.address,
    packageId: parcel.id,
    custody,
    issuedAtMs,
  });
  return { answer: { jwt: await signedJwt(coordinator, header, payload) } };
}

export async function getTaskReceipts(context: AppContext, { taskId }: In<'getTaskReceipts'>): Out<'getTaskReceipts'> {
  const task = await requireTask(context.db, taskId);
  return { answer: { taskId: task.id, receipts: await receiptsFor(context, task, { taskId: task.id }) } };
}

/** @throws LegworkError `ledger_unavailable` */
export async function receiptsFor(
  context: AppContext,
  listing: ListingRow,
  id: { packageId: string } | { taskId: string },
): Promise<Receipt[]> {
  const { db, ledger } = context;
  const legs = isPackage(listing) ? ((await newestSwarm(db, listing.id))?.legs ?? []) : await legsOf(db, listing.id);
  const moves = await movesOf(db, id);
  const signatures = new Set([
    ...moves.filter(({ move }) => HANDS.has(move)).map(({ signature }) => signature),
    ...legs.flatMap(({ confirm_signature: signature }) => signature ?? []),
  ]);
  const told: Told[] = [];
  for (const signature of signatures) told.push(await readTold(context, signature));
  told.sort((one, other) => Number(one.slot - other.slot));
  return receiptsOf(
    {
      program: ledger.programAddress,
      listing: accountOf(listing),
      document: listing.terms_hash,
      lister: listing.shipper_pubkey,
      receiver: listing.terms?.receiverPubkey ?? null,
      legs: legs.map((leg) => ({ address: leg.on_chain_leg, worker: leg.agent_pubkey ?? '' })),
    },
    told,
  );
}

/** @throws LegworkError `ledger_unavailable` when the ledger's node does not show it */
async function readTold({ ledger }: AppContext, signature: string): Promise<Told> {
  const read = kept.get(ledger) ?? new Map<string, Told>();
  kept.set(ledger, read);
  const before = read.get(signature);
  if (before !== undefined) return before;
  const landed = await findLanded(ledger, signature);
  if (landed?.kind !== 'landed' || landed.error !== null) {
    throw new LegworkError('ledger_unavailable', `The ledger's node does not show transaction ${signature} any more.`);
  }
  const { slot, instructions, bytes, blockTime } = landed;
  const told = { signature, slot, instructions, bytes, blockTime };
  for (const oldest of read.keys()) {
    if (read.size < MOST_KEPT) break;
    read.delete(oldest);
  }
  read.set(signature, told);
  return told;
}
