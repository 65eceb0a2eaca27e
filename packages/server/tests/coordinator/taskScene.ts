import { readFile } from 'node:fs/promises';
import { getReputationDecoder, getSetPausedInstruction, reputationAddress, type Task } from '@legwork/program-client';
import { parseKeypairFile, toLamports } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import { createLegworkClient, type DigitalTaskDetail, type DigitalTaskDraft, LegworkApiError } from '@legwork/sdk';
import { getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { address, createKeyPairSignerFromBytes, getBase64Encoder, type Instruction } from '@solana/kit';
import { afterAll, beforeAll } from 'vitest';
import type { AppContext } from '../../src/context.js';
import { decideConfirmation } from '../../src/coordinator/taskWork.js';
import { storeResult } from '../../src/tasks/claimRows.js';
import { legsOf } from '../../src/tasks/taskLegRows.js';
import { findTask, lockTask } from '../../src/tasks/taskRows.js';
import { type LeasedIntent, leaseNext, persistSigned, type SignedIntent } from '../../src/db/outbox.js';
import type { DigitalLegRow, DigitalTaskRow } from '../../src/db/schema.js';
import { inTransaction } from '../../src/db/transaction.js';
import { readTaskAccount } from '../../src/ledger/accounts.js';
import { readLedgerTime } from '../../src/ledger/ledger.js';
import type { HeldLeg } from '../../src/ledger/taskInstructions.js';
import { claimLeg } from '../../src/tasks/claim.js';
import type { IntentHandler } from '../../src/outbox/intentHandler.js';
import { deliverIntent } from '../../src/outbox/deliverIntent.js';
import { signIntent } from '../../src/outbox/signIntent.js';
import { hold, letGo } from '../support/holdIntents.js';
import { type Departures, type Party, TestService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';
import { listDigitalTask } from '../support/listed.js';
import { until } from '../support/until.js';

/** A goal that is paid in SOL. */
type SolDraft = Extract<DigitalTaskDraft, { maxBudgetSol: number }>;

/** A goal of so many legs, 0.1 SOL each. */
export function goal(legs = 2, changes: Partial<SolDraft> = {}): SolDraft {
  return {
    title: 'Customer feedback',
    description: 'Group the feedback, then summarise each group.',
    maxBudgetSol: legs / 10,
    legs: Array.from({ length: legs }, (_, index) => ({ instruction: `step ${index}` })),
    ...changes,
  };
}

/**
 * Leases the one intent that is due, signs it and persists the bytes: what a worker does before it sends. The lease is over
 * at once, as that of a worker which was killed a while ago.
 */
export async function signNext(
  context: AppContext,
  handler: IntentHandler,
): Promise<{ intent: LeasedIntent; bytes: SignedIntent }> {
  const intent = await leaseNext(context.db, 0);
  if (!intent) throw new Error('no intent is due');
  const signing = await signIntent(context.ledger, (await handler.instructions(context, intent))?.instructions ?? []);
  if (!('signed' in signing)) throw new Error(signing.refused.reason);
  await persistSigned(context.db, intent, signing.signed);
  return { intent, bytes: signing.signed };
}

/** Carries on with an intent whose bytes are persisted. */
export function deliver(context: AppContext, intent: LeasedIntent, bytes: SignedIntent): Promise<void> {
  const { signature, transaction, lastValidBlockHeight: last_valid_block_height } = bytes;
  const sent = { ...intent, signature, transaction, last_valid_block_height };
  return deliverIntent(context, sent, new AbortController().signal);
}

/** A service with what its workers work with, and nothing of its own running beside it. */
export class TaskScene {
  readonly service: TestService;
  readonly context: AppContext;
  #pauses = 0;

  constructor(service: TestService, context: AppContext) {
    this.service = service;
    this.context = context;
  }

  /** A client of the party's, of the service as it runs now. */
  clientOf({ signer }: Party) {
    return createLegworkClient({ url: this.service.server.url, signer });
  }

  /** A listed task and who posted it. */
  async listed(legs = 2, changes: Partial<SolDraft> = {}): Promise<{ poster: Party; task: DigitalTaskDetail }> {
    const poster = await this.service.party();
    return { poster, task: await listDigitalTask(poster.client, poster.signer, goal(legs, changes)) };
  }

  /** A wallet without a lamport: all that an agent needs. */
  agent(): Promise<Party> {
    return this.service.party(0);
  }

  twoAgents(): Promise<[Party, Party]> {
    return Promise.all([this.agent(), this.agent()]);
  }

  claim(agent: Party, task: Pick<DigitalTaskDetail, 'id' | 'legs'>, index: number) {
    const path = { taskId: task.id, legId: this.legId(task, index) };
    return this.clientOf(agent).bidDigitalLeg({ ...path, agentPubkey: agent.pubkey, bidSol: 0.05 });
  }

  complete(agent: Party, task: Pick<DigitalTaskDetail, 'id' | 'legs'>, index: number, result = `result ${index}`) {
    const path = { taskId: task.id, legId: this.legId(task, index) };
    return this.clientOf(agent).completeDigitalLeg({ ...path, agentPubkey: agent.pubkey, result });
  }

  release(agent: Party, task: Pick<DigitalTaskDetail, 'id' | 'legs'>, index: number) {
    const path = { taskId: task.id, legId: this.legId(task, index) };
    return this.clientOf(agent).releaseDigitalLeg({ ...path, agentPubkey: agent.pubkey });
  }

  /**
   * Claims the leg and keeps its assignment, and whatever is decided after it, from being carried out until `letGo`.
   *
   * @returns what becomes of the call, which has not ended yet
   */
  async claimHeld(agent: Party, task: Pick<DigitalTaskDetail, 'id' | 'legs'>, index = 0) {
    await hold(this.context, task.id, 'task');
    const claimed = Promise.allSettled([this.claim(agent, task, index)]);
    await this.untilDecided(task.id, 'assign_task_leg');
    return { claimed: claimed.then(([outcome]) => outcome) };
  }

  /** Claims the leg in the database alone: also while the service is stopped. */
  async claimStored({ pubkey }: Party, task: Pick<DigitalTaskDetail, 'id' | 'legs'>, index = 0): Promise<void> {
    const path = { taskId: task.id, legId: this.legId(task, index) };
    const how = { bidLamports: toLamports(1n), signed: false, client: '127.0.0.1' };
    await claimLeg(this.context, { ...path, ...how, agentPubkey: pubkey });
  }

  /** Stores a result in the database alone, with the order to confirm it. */
  async handInStored(task: Pick<DigitalTaskDetail, 'id' | 'legs'>, index = 0, result = `result ${index}`) {
    const { hex: hash } = resultHash(result);
    await inTransaction(this.context.db, async (trx) => {
      await lockTask(trx, task.id);
      const leg = await this.legRow(task.id, index);
      await storeResult(trx, leg, { result, hash });
      await decideConfirmation(this.context, trx, leg, hash);
    });
  }

  letGo(task: Pick<DigitalTaskDetail, 'id'>): Promise<void> {
    return letGo(this.context, task.id);
  }

  /** Waits until an intent of this kind is decided and not done. */
  async untilDecided(taskId: string, kind: string): Promise<void> {
    await until(`${kind} is decided`, async () => (await this.intents(taskId)).includes(`${kind} pending`));
  }

  legId({ legs }: Pick<DigitalTaskDetail, 'legs'>, index: number): string {
    const leg = legs[index];
    if (!leg) throw new Error(`there is no leg ${index}`);
    return leg.id;
  }

  /** Asks until the task is as `done` says, for at most 20 seconds. */
  untilTask(taskId: string, done: (task: DigitalTaskDetail) => boolean): Promise<DigitalTaskDetail> {
    const client = createLegworkClient({ url: this.service.server.url });
    return until(`task ${taskId}`, async () => {
      const task = await client.getDigitalTask({ taskId }).catch((error: unknown) => {
        // A draft is not found until it is mirrored as listed.
        if (error instanceof LegworkApiError && error.code === 'not_found') return undefined;
        throw error;
      });
      return task && done(task) && task;
    });
  }

  /** Waits until the leg has this status, for at most 20 seconds. */
  untilLeg(taskId: string, index: number, status: DigitalLegRow['status']): Promise<DigitalTaskDetail> {
    return this.untilTask(taskId, ({ legs }) => legs[index]?.status === status);
  }

  async row(taskId: string): Promise<DigitalTaskRow> {
    const row = await findTask(this.context.db, taskId);
    if (!row) throw new Error(`there is no task ${taskId}`);
    return row;
  }

  /** A leg as it is stored, as if this agent had it. */
  async legRow(taskId: string, index: number, agentPubkey?: string): Promise<HeldLeg> {
    const row = (await legsOf(this.context.db, taskId))[index];
    const agent = agentPubkey ?? row?.agent_pubkey;
    if (!row || agent == null) throw new Error(`nobody has leg ${index}`);
    return { ...row, agent_pubkey: agent };
  }

  /** Types of the task's events in the order readers get them. */
  async events(taskId: string): Promise<string[]> {
    const rows = await this.context.db
      .selectFrom('events')
      .select(['type', 'payload'])
      .where('subject', '=', `task:${taskId}`)
      .where('seq', 'is not', null)
      .orderBy('seq')
      .execute();
    return rows.map(({ type, payload }) => (type === 'TASK_LEG_RELEASED' ? `${type} ${String(payload.reason)}` : type));
  }

  /** The task's intents in the order they were decided in, with how they ended. */
  async intents(taskId: string): Promise<string[]> {
    const rows = await this.context.db
      .selectFrom('outbox')
      .select(['kind', 'status'])
      .where('subject', '=', `task:${taskId}`)
      .orderBy('id')
      .execute();
    return rows.map(({ kind, status }) => `${kind} ${status}`);
  }

  /** Sends what a wallet, or the coordinator, does on the ledger without a word to the service. */
  async send(by: Party['signer'], instructions: readonly Instruction[]): Promise<string> {
    return land(this.service, await signed(this.service, [by], instructions));
  }

  /** The agents that are barred from the task, with why. */
  barred(taskId: string) {
    return this.context.db
      .selectFrom('barred_agents')
      .select(['agent_pubkey', 'reason', 'release_signature'])
      .where('task_id', '=', taskId)
      .execute();
  }

  /** The task's account on the ledger. */
  async onLedger(task: Pick<DigitalTaskDetail, 'onChainTask'>): Promise<Task | undefined> {
    return readTaskAccount(this.context.ledger, task.onChainTask);
  }

  /** Legs that the ledger counts for an agent. */
  async reputation({ pubkey }: Party): Promise<{ accepted: bigint; completed: bigint }> {
    const account = await reputationAddress(this.context.ledger.programAddress, address(pubkey));
    const { value } = await this.service.rpc.getAccountInfo(account, { encoding: 'base64' }).send();
    if (!value) return { accepted: 0n, completed: 0n };
    const { legsAccepted, legsCompleted } = getReputationDecoder().decode(getBase64Encoder().encode(value.data[0]));
    return { accepted: legsAccepted, completed: legsCompleted };
  }

  /** The ledger's time in milliseconds. */
  async ledgerNow(): Promise<number> {
    return (await readLedgerTime(this.context.ledger)).getTime();
  }

  /** Pauses the program, or lets it go on. */
  async setPaused(paused: boolean): Promise<void> {
    const { ledger } = this.context;
    const authority = await this.authority();
    const { configAddress: config, programAddress } = ledger;
    this.#pauses += 1;
    await this.sendFor(authority, [
      // Pausing again within one blockhash would be the same transaction, which the ledger has already.
      getSetComputeUnitPriceInstruction({ microLamports: this.#pauses }),
      getSetPausedInstruction({ authority, config, paused }, { programAddress }),
    ]);
  }

  /** The key that can pause the program and name its coordinator. */
  authority() {
    return this.keypair(this.service.ledger.keypairs.authority.path);
  }

  async keypair(file: string) {
    return createKeyPairSignerFromBytes(parseKeypairFile(await readFile(file, 'utf8')));
  }

  /** Sends what `by` signs at the coordinator's expense. */
  async sendFor(by: Party['signer'], instructions: readonly Instruction[]): Promise<string> {
    return land(this.service, await signed(this.service, [this.context.ledger.coordinator, by], instructions));
  }
}

/** A scene for the tests of the current file; there once they run. */
export function withTaskScene(departures?: Departures): { readonly current: TaskScene } {
  let scene: TaskScene | undefined;
  beforeAll(async () => {
    const service = await TestService.start(departures);
    scene = new TaskScene(service, await service.context());
  });
  afterAll(async () => {
    await scene?.context.db.destroy();
    await scene?.service.close();
  });
  return {
    get current() {
      if (!scene) throw new Error('The scene is there only while tests and hooks run.');
      return scene;
    },
  };
}
