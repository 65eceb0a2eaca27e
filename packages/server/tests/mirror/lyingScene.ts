import { setTimeout as sleep } from 'node:timers/promises';
import { findLanded, signaturePages } from '@legwork/program-client/history';
import {
  confirmLeg,
  type DigitalTaskDetail,
  type PackageDetail,
  LegworkApiError,
  signDigitalTask,
  signListing,
} from '@legwork/sdk';
import { createSolanaRpc, signature as toSignature } from '@solana/kit';
import { auditOf, linesOf } from '../audit/scene.js';
import { lamportsOf } from '../coordinator/scene.js';
import { goal, type TaskScene } from '../coordinator/taskScene.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { until } from '../support/until.js';

/** Slots of 0.4 s, and some more: what is confirmed now is final then. */
const FINAL_SEC = 15;
const PATIENCE_MS = 60_000;

/** Something carried to its end. */
export interface Deed {
  /** Of the listing, on the ledger. */
  account: string;
  /** The instructions that the ledger must show of it, in this order. */
  history: readonly string[];
  /** The agent that was paid, and held nothing before. */
  paid?: { agent: Party; lamports: bigint };
}

/** Persists like a caller that gets no answer, or whose transaction is not shown yet: the same again. */
export async function persist<T>(action: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    try {
      return await action();
    } catch (error) {
      const isLater =
        error instanceof LegworkApiError && (error.status >= 500 || error.code === 'not_confirmed_on_chain');
      if (!isLater || Date.now() > until) throw error;
    }
  }
}

/** Lists a package over REST. */
export async function listedPackage({ service }: TaskScene, by?: Party): Promise<{ shipper: Party; id: string }> {
  const shipper = by ?? (await service.party());
  const { packageId, transaction } = await signListing(shipper.client, shipper.signer, draft());
  await persist(() => shipper.client.submitPackage({ packageId, transaction }));
  return { shipper, id: packageId };
}

/** Confirms a leg; what landed and could not be told is an error here, to be persisted with. */
export async function confirmedAndTold(
  { client, signer }: Party,
  { rpc }: Pick<TestService, 'rpc'>,
  legId: string,
): Promise<void> {
  const { open } = await confirmLeg(client, rpc, signer, legId);
  if (open) throw open.why;
}

/** Has it carried over two legs and delivered. */
export async function carryPackage(scene: TaskScene, listed = listedPackage(scene)): Promise<Deed> {
  const { service } = scene;
  const [{ shipper, id }, first, second] = await Promise.all([listed, service.party(1), service.party(1)]);
  await persist(() => first.client.submitBid(bidInput(first, id, 'zoo', 'alexanderplatz', 0.1)));
  await persist(() => second.client.submitBid(bidInput(second, id, 'alexanderplatz', 'ostkreuz', 0.05)));
  const { swarm, onChainPackage } = await untilShown(scene, id, 'in_transit');
  const recipients = [second, shipper];
  for (const [index, leg] of (swarm?.legs ?? []).entries()) {
    const recipient = recipients[index] ?? shipper;
    await persist(() => confirmedAndTold(recipient, service, leg.id));
  }
  await untilShown(scene, id, 'delivered');
  const history = ['listPackage', 'formSwarm', 'assignLeg', 'assignLeg', 'confirmLeg', 'confirmLeg', 'settle'];
  return { account: onChainPackage, history };
}

export async function untilShown(
  { service }: TaskScene,
  packageId: string,
  status: PackageDetail['status'],
): Promise<PackageDetail> {
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    try {
      return await untilPackage(service, packageId, (parcel) => parcel.status === status);
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

/** Lists a task of one leg over REST. */
export async function listedTask({ service }: TaskScene, by?: Party): Promise<DigitalTaskDetail> {
  const poster = by ?? (await service.party());
  const { taskId, transaction } = await signDigitalTask(poster.client, poster.signer, goal(1));
  await persist(() => poster.client.submitDigitalTask({ taskId, transaction }));
  return poster.client.getDigitalTask({ taskId });
}

/** Has a task worked on by one agent and completed. */
export async function finishTask(scene: TaskScene, listed = listedTask(scene)): Promise<Deed> {
  const [task, agent] = await Promise.all([listed, scene.agent()]);
  await persist(() => scene.claim(agent, task, 0));
  await persist(() => scene.complete(agent, task, 0));
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    try {
      await scene.untilTask(task.id, ({ status }) => status === 'completed');
      return paidDeed(task, agent);
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

/** A task of one leg that this agent completed. */
export function paidDeed(task: Pick<DigitalTaskDetail, 'onChainTask'>, agent: Party): Deed {
  const history = ['listTask', 'assignTaskLeg', 'confirmTaskLeg', 'settleTask'];
  return { account: task.onChainTask, history, paid: { agent, lamports: 100_000_000n } };
}

/** Lets the service live on a fork while this goes on: what it did there is forgotten afterwards. */
export async function onFork<T>(
  { service }: TaskScene,
  act: (fork: TaskScene['service']['rpc']) => Promise<T>,
): Promise<T> {
  const fork = await service.testLedger.fork();
  const told = await service.node.begin({ kind: 'forked', rpcUrl: fork.ledger.rpcUrl });
  try {
    return await act(createSolanaRpc(fork.ledger.rpcUrl));
  } finally {
    await told.end();
    await fork.close();
  }
}

/** Reports whether the ledger itself shows the transaction as successful. */
export async function isLanded({ service }: TaskScene, signature: string): Promise<boolean> {
  const { value } = await service.rpc
    .getSignatureStatuses([toSignature(signature)], { searchTransactionHistory: true })
    .send();
  return value[0] != null && value[0].err === null;
}

/** Waits until the ledger itself shows it. */
export function untilLanded(scene: TaskScene, signature: string): Promise<unknown> {
  return until(`${signature} is on the ledger`, () => isLanded(scene, signature));
}

/** Waits until the ledger itself shows all that was applied. */
export async function untilAllLanded(scene: TaskScene): Promise<void> {
  const rows = await scene.context.db.selectFrom('ledger_transactions').select('signature').execute();
  for (const { signature } of rows) await untilLanded(scene, signature);
}

/** Names of the program's instructions in an account's transactions, oldest first. @throws Error when one of them failed */
async function historyOf({ context }: TaskScene, account: string): Promise<string[]> {
  const signatures: string[] = [];
  for await (const page of signaturePages(context.ledger, account)) {
    for (const { signature, err } of page) {
      if (err !== null) throw new Error(`transaction ${signature} failed`);
      signatures.unshift(signature);
    }
  }
  const landed = await Promise.all(signatures.map((signature) => findLanded(context.ledger, signature)));
  return landed.flatMap((found) => (found?.kind === 'landed' ? found.instructions.map(({ name }) => name) : []));
}

/**
 * Waits until nothing is left to do and all of it is final. Returns what is not as it should be then: rows that differ from the
 * ledger, deeds that were not done once there, and people who have not what is due; nothing, that is.
 */
export async function wrongs(scene: TaskScene, deeds: readonly Deed[]): Promise<string[]> {
  const { service } = scene;
  await service.advanceTime(FINAL_SEC);
  await untilQuiet(service);
  const open = await service.db.selectFrom('outbox').select(['kind', 'status']).where('status', '<>', 'done').execute();
  const { differences, notes } = await auditOf(service);
  const found = [...open.map(({ kind, status }) => `${kind} is ${status}`), ...linesOf(differences), ...linesOf(notes)];
  for (const { account, history, paid } of deeds) {
    const done = (await historyOf(scene, account)).join(', ');
    if (done !== history.join(', ')) found.push(`${account}: ${done}`);
    const lamports = paid && (await lamportsOf(service, paid.agent.pubkey));
    if (lamports !== paid?.lamports) found.push(`${paid?.agent.pubkey} has ${lamports}`);
  }
  return found;
}
