import { uuidToBytes } from '@legwork/protocol/contract';
import type { DigitalTaskDetail, FailureReason, PackageDetail } from '@legwork/protocol/contract';
import { address } from '@solana/kit';
import type { Address, Signature, Transaction } from '@solana/kit';
import { packageAddress, taskAddress } from '@legwork/program-client';
import { funderOf, paidIn } from './assets.js';
import { serviceConfig } from './client.js';
import type { LegworkClient } from './client.js';
import { LedgerRefusedError, LegworkApiError, LegworkNetworkError, TransactionRefusedError } from './errors.js';
import { sendAffordably } from './feePayer.js';
import { afterLanding } from './landed.js';
import type { Landed } from './landed.js';
import { pause } from './pause.js';
import type { LedgerSigner } from './signer.js';
import { readTransaction } from './transactions/readTransaction.js';
import type { SendRpc } from './transactions/sendTransaction.js';
import { requireOwn } from './transactions/signTransaction.js';

/** The wallet that ends something, and its service and ledger. */
interface Party {
  readonly client: LegworkClient;
  /** Of the service's ledger. */
  readonly rpc: SendRpc;
  readonly signer: LedgerSigner;
}

/** The fields that tell who may end it. */
type Paid = Pick<PackageDetail, 'shipperPubkey' | 'funderPubkey' | 'asset'>;

/** The listing to end: a package or a digital task. */
interface Listed<Item extends Paid> {
  /** As errors call it, with its id. */
  readonly name: string;
  /** Where the program keeps it when this wallet listed it. */
  readonly accountOf: (programId: Address, lister: Address) => Promise<Address>;
  readonly read: () => Promise<Item>;
}

/** The signer in the lister's place; empty: the lister itself. */
interface By {
  readonly mandateOwnerPubkey?: string;
}

/** A transaction that ends it. */
interface Exit {
  readonly instruction:
    | 'cancelPackage'
    | 'reclaimPackage'
    | 'closePackage'
    | 'cancelTask'
    | 'reclaimTask'
    | 'closeTask';
  readonly build: (by: By) => Promise<{ readonly transaction: string; readonly lastValidBlockHeight: number }>;
}

/** How long the service may take to show what the ledger confirmed, milliseconds. */
const SHOWN_WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Builds, checks, signs and sends the transaction that takes the escrow back, and waits until the service shows it. A landed
 * transaction is never reported as failed: when the service does not show it within a minute, `open` says so. Safe to repeat.
 *
 * @param exit with the reason that the service gives for what ended so
 * @throws {LegworkApiError} `invalid_status` when it cannot end so now
 * @throws {LedgerRefusedError} when the ledger refuses the transaction
 * @throws {TransactionRefusedError} when the service built another transaction
 */
async function endListed<Item extends Paid & { readonly failureReason: FailureReason | null }>(
  party: Party,
  listed: Listed<Item>,
  exit: Exit & { readonly reason: FailureReason },
): Promise<Item & Partial<Landed>> {
  const before = await listed.read().catch(() => undefined);
  let signature: Signature;
  try {
    signature = await sendExit(party, listed, exit, before);
  } catch (error) {
    // Another run of the same wallet may have been faster.
    const turnPassed = error instanceof LegworkApiError && error.code === 'invalid_status';
    if (!turnPassed && !(error instanceof LedgerRefusedError)) throw error;
    const listing = await listed.read();
    if (listing.failureReason !== exit.reason) throw error;
    return listing;
  }
  const take = () => untilShown(listed, exit.reason);
  const what = `wait until the service shows ${listed.name} as ${exit.reason}`;
  if (before === undefined) return { ...(await take()), signature, open: null };
  return afterLanding(signature, { what, take }, { ...before, failureReason: exit.reason });
}

/**
 * Builds, checks, signs and sends a transaction that ends something, and waits until the ledger has confirmed it.
 *
 * @param item as the service shows it; undefined: it is taken for this wallet's own
 * @returns its signature
 * @throws as {@link endListed}, but for what the service shows
 */
async function sendExit<Item extends Paid>(
  party: Party,
  listed: Listed<Item>,
  exit: Exit,
  item: Item | undefined,
): Promise<Signature> {
  const isOwner = item !== undefined && (await hasMandated(party, item));
  const lister = isOwner ? address(item.shipperPubkey) : party.signer.address;
  const built = await exit.build(isOwner ? { mandateOwnerPubkey: party.signer.address } : {});
  const transaction = await requireExit(party, { listed, lister }, exit, built.transaction);
  const { client, rpc, signer } = party;
  return sendAffordably({ client, rpc, transaction }, signer, built.lastValidBlockHeight);
}

/** Reports whether a mandate of this wallet paid for another one's listing: then its owner ends it as the lister could. Rule P-118. */
async function hasMandated({ client, signer }: Party, { shipperPubkey, funderPubkey, asset }: Paid): Promise<boolean> {
  if (shipperPubkey === signer.address || funderPubkey === shipperPubkey) return false;
  const config = await serviceConfig(client);
  const of = await paidIn(config, asset);
  return funderPubkey === (await funderOf(config, { mandateOwnerPubkey: signer.address }, shipperPubkey, of));
}

/** @throws {TransactionRefusedError} unless it ends this very package or task of its lister */
async function requireExit(
  { client, signer }: Party,
  { listed, lister }: { readonly listed: Pick<Listed<never>, 'name' | 'accountOf'>; readonly lister: Address },
  { instruction: name }: Exit,
  transaction: string,
): Promise<Transaction> {
  const programId = address((await serviceConfig(client)).programId);
  const expected = { programId, name };
  const { accounts } = readTransaction(transaction, expected).instruction;
  const found = ('task' in accounts ? accounts.task : accounts.package).address;
  const own = await listed.accountOf(programId, lister);
  if (found !== own) {
    throw new TransactionRefusedError(
      `the transaction ends what is at ${found}, but ${listed.name} of ${lister} is at ${own}`,
    );
  }
  return requireOwn(transaction, signer, expected);
}

async function untilShown<Item extends Paid & { readonly failureReason: FailureReason | null }>(
  { name, read }: Listed<Item>,
  reason: FailureReason,
): Promise<Item> {
  const until = Date.now() + SHOWN_WITHIN_MS;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const listing = await read();
    if (listing.failureReason === reason) return listing;
    if (Date.now() > until) throw new LegworkNetworkError(`the ledger shows ${name} as ${reason}, the service not yet`);
    await pause(wait);
  }
}

/** @param rpc of the service's ledger, `ledgerRpc((await client.getConfig()).rpcUrl)` @param id of the package or the task */
type Ending<Ended> = (client: LegworkClient, rpc: SendRpc, signer: LedgerSigner, id: string) => Promise<Ended>;

/**
 * Cancels a listed package as its shipper, or as the owner of the mandate that paid for it: the whole escrow returns to its funder. Signs, sends, and waits until
 * the service shows the package as cancelled. Safe to repeat: a package cancelled before is answered as it is. When the service does not show
 * within a minute what the ledger confirmed, `open` says so.
 *
 * @throws {LegworkApiError} `invalid_status` when it is not listed any more
 * @throws {LedgerRefusedError} when the ledger refuses the transaction
 * @throws {TransactionRefusedError} when the service built another transaction
 */
export const cancelPackage: Ending<PackageDetail & Partial<Landed>> = (client, rpc, signer, packageId) =>
  endListed({ client, rpc, signer }, packageOf(client, packageId), {
    instruction: 'cancelPackage',
    reason: 'cancelled',
    build: (by) => client.buildCancelTx({ packageId, ...by }),
  });

/**
 * Takes back what is left in escrow of a package whose deadline has passed, or whose swarm the ledger shows as begun and not
 * completed, as its shipper. Otherwise as {@link cancelPackage}.
 *
 * @throws {LegworkApiError} `invalid_status` before the deadline, or when nothing is left to reclaim
 */
export const reclaimPackage: Ending<PackageDetail & Partial<Landed>> = (client, rpc, signer, packageId) =>
  endListed({ client, rpc, signer }, packageOf(client, packageId), {
    instruction: 'reclaimPackage',
    reason: 'reclaimed',
    build: (by) => client.buildReclaimTx({ packageId, ...by }),
  });

function packageOf(client: LegworkClient, packageId: string): Listed<PackageDetail> {
  return {
    name: `package ${packageId}`,
    accountOf: (programId, shipper) => packageAddress(programId, shipper, uuidToBytes(packageId)),
    read: () => client.getPackage({ packageId }),
  };
}

/**
 * Cancels a digital task as its poster, while nobody works on it and nothing is completed: the whole escrow returns to its funder.
 * Otherwise as {@link cancelPackage}.
 */
export const cancelDigitalTask: Ending<DigitalTaskDetail & Partial<Landed>> = (client, rpc, signer, taskId) =>
  endListed({ client, rpc, signer }, taskOf(client, taskId), {
    instruction: 'cancelTask',
    reason: 'cancelled',
    build: (by) => client.buildCancelDigitalTaskTx({ taskId, ...by }),
  });

/**
 * Takes back the rest of the escrow of a digital task whose deadline has passed,
 * as its poster. Paid legs stay paid. Otherwise as {@link reclaimPackage}.
 */
export const reclaimDigitalTask: Ending<DigitalTaskDetail & Partial<Landed>> = (client, rpc, signer, taskId) =>
  endListed({ client, rpc, signer }, taskOf(client, taskId), {
    instruction: 'reclaimTask',
    reason: 'reclaimed',
    build: (by) => client.buildReclaimDigitalTaskTx({ taskId, ...by }),
  });

/**
 * Closes the account of a package that is delivered or failed, as its funder, or as the owner of
 * the mandate that funded it: most of its rent goes back there. Otherwise as {@link cancelPackage}.
 *
 * @returns the transaction's signature, once the ledger has confirmed it
 * @throws {LegworkApiError} `invalid_status` when the package is not over, or its account is closed already
 */
export const closePackage: Ending<Signature> = (client, rpc, signer, packageId) =>
  close({ client, rpc, signer }, packageOf(client, packageId), {
    instruction: 'closePackage',
    build: (by) => client.buildCloseTx({ packageId, ...by }),
  });

/** Closes the account of a digital task that is completed or failed. Otherwise as {@link closePackage}. */
export const closeDigitalTask: Ending<Signature> = (client, rpc, signer, taskId) =>
  close({ client, rpc, signer }, taskOf(client, taskId), {
    instruction: 'closeTask',
    build: (by) => client.buildCloseDigitalTaskTx({ taskId, ...by }),
  });

const close = async <Item extends Paid>(party: Party, listed: Listed<Item>, exit: Exit): Promise<Signature> =>
  sendExit(party, listed, exit, await listed.read().catch(() => undefined));

function taskOf(client: LegworkClient, taskId: string): Listed<DigitalTaskDetail> {
  return {
    name: `digital task ${taskId}`,
    accountOf: (programId, poster) => taskAddress(programId, poster, uuidToBytes(taskId)),
    read: () => client.getDigitalTask({ taskId }),
  };
}
