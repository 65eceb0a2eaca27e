import {
  decodeTask,
  decodeTaskLeg,
  getAssignTaskLegInstruction,
  getCancelTaskInstruction,
  getCloseTaskInstruction,
  getConfirmTaskLegInstruction,
  getListTaskInstruction,
  getReclaimTaskInstruction,
  getReleaseTaskLegInstruction,
  getSettleTaskInstruction,
  taskAddress,
  vaultAddress,
  type Task,
  type TaskLeg,
} from '@legwork/program-client';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import { DEADLINE, must, SOL, TERMS_HASH } from './delivery.js';
import { fundedBy } from './instructions.js';
import { firstLegs, RESULT_HASH, type ClosedLeg, type Job, type TaskListing } from './job.js';
import type { Relay } from './relay.js';

/** The instructions about tasks, as those sign them whose role it is, and tasks at every stage. Agent n is courier n. */
export class Tasks {
  readonly #relay: Relay;

  constructor(relay: Relay) {
    this.#relay = relay;
  }

  get #to(): { programAddress: Address } {
    return { programAddress: this.#relay.programAddress };
  }

  async job(number = 1, people: Partial<Pick<Job, 'poster' | 'funder'>> = {}): Promise<Job> {
    const poster = people.poster ?? (await this.#relay.person('poster'));
    const funder = people.funder ?? (await this.#relay.person('funder'));
    const taskId = new Uint8Array(16).fill(number % 256).with(0, Math.floor(number / 256));
    const { programAddress } = this.#relay;
    const task = await taskAddress(programAddress, poster.address, taskId);
    return { poster, funder, taskId, task, vault: await vaultAddress(programAddress, task) };
  }

  list(job: Job, listing: TaskListing = {}): Instruction {
    const { numLegs = 2, maxBudget = SOL, deadline = DEADLINE, posterSigns = true, terms = null } = listing;
    const { taskId, task, vault, funder: owner, mandate: funder = owner } = job;
    const poster = posterSigns ? job.poster : job.poster.address;
    const accounts = { funder, poster, config: this.#relay.config, task, vault };
    const offer = { taskId, numLegs, maxBudget, deadline, termsHash: TERMS_HASH, terms };
    return getListTaskInstruction({ ...accounts, ...offer }, this.#to);
  }

  async assign(job: Job, index: number, agent: Address, coordinator = this.#relay.coordinator): Promise<Instruction> {
    const countedLater = await this.#relay.countedLater(job.task);
    const accounts = {
      coordinator,
      config: this.#relay.config,
      task: job.task,
      taskLeg: await this.#relay.taskLeg(job, index),
      agent,
      reputation: await this.#relay.reputationOf(agent),
    };
    return getAssignTaskLegInstruction({ ...accounts, index, countedLater }, this.#to);
  }

  async release(job: Job, { index, rentPayer = this.#relay.coordinator.address }: ClosedLeg): Promise<Instruction> {
    const { coordinator, config } = this.#relay;
    const accounts = {
      coordinator,
      config,
      task: job.task,
      taskLeg: await this.#relay.taskLeg(job, index),
      rentPayer,
      agent: await this.#agentOf(job, index),
    };
    return getReleaseTaskLegInstruction({ ...accounts, index }, this.#to);
  }

  /** By the coordinator, or with terms by `signer`. */
  async confirm(
    job: Job,
    index: number,
    agent: Address,
    resultHash = RESULT_HASH,
    signer = this.#relay.coordinator,
  ): Promise<Instruction> {
    const accounts = {
      signer,
      config: this.#relay.config,
      task: job.task,
      taskLeg: await this.#relay.taskLeg(job, index),
      vault: job.vault,
      agent,
      reputation: await this.#relay.reputationOf(agent),
    };
    return getConfirmTaskLegInstruction({ ...accounts, index, resultHash }, this.#to);
  }

  /** The agent that has the leg, or would have it. */
  async #agentOf(job: Job, index: number): Promise<Address> {
    const account = await this.#relay.ledger.account(await this.#relay.taskLeg(job, index));
    if (account?.owner !== this.#relay.programAddress) return this.agent(index);
    return (await this.leg(job, index)).agent;
  }

  async settle(job: Job, legs: readonly ClosedLeg[], signer = this.#relay.coordinator): Promise<Instruction> {
    return getSettleTaskInstruction({ signer, ...(await this.#ending(job, legs)) }, this.#to);
  }

  cancel(job: Job, signer: KeyPairSigner = job.funder): Instruction {
    return getCancelTaskInstruction({ signer, ...this.#refunded(job) }, this.#to);
  }

  /** `agents` is that of an accepted leg, with terms. */
  async reclaim(
    job: Job,
    legs: readonly ClosedLeg[],
    signer = job.funder,
    agents: Address[] = [],
  ): Promise<Instruction> {
    return getReclaimTaskInstruction({ signer, ...(await this.#ending(job, legs)), agents }, this.#to);
  }

  close(job: Job, signer: KeyPairSigner = job.funder): Instruction {
    const accounts = { config: this.#relay.config, task: job.task, funder: fundedBy(job) };
    return getCloseTaskInstruction({ signer, ...accounts }, this.#to);
  }

  #refunded(job: Job) {
    return { config: this.#relay.config, task: job.task, vault: job.vault, funder: fundedBy(job) };
  }

  async #ending(job: Job, legs: readonly ClosedLeg[]) {
    const pairs = legs.map(async ({ index, rentPayer = this.#relay.coordinator.address }) => [
      await this.#relay.taskLeg(job, index),
      rentPayer,
    ]);
    return { ...this.#refunded(job), legsWithRentPayers: (await Promise.all(pairs)).flat() };
  }

  /** A listed task. */
  async listed(number = 1, listing: TaskListing = {}): Promise<Job> {
    const job = await this.job(number);
    must(await this.#relay.ledger.send(this.list(job, listing)));
    return job;
  }

  /** A task whose legs with these indexes are assigned: agent n works on leg n. */
  async inProgress(indexes: readonly number[], job?: Job): Promise<Job> {
    const listed = job ?? (await this.listed());
    for (const index of indexes) {
      must(await this.#relay.ledger.send(await this.assign(listed, index, await this.agent(index))));
    }
    return listed;
  }

  /** A task whose `legs` legs are all confirmed. */
  async worked(legs: number, number = 1): Promise<Job> {
    const job = await this.inProgress([...firstLegs(legs).keys()], await this.listed(number, { numLegs: legs }));
    for (let index = 0; index < legs; index += 1) must(await this.#relay.ledger.send(await this.result(job, index)));
    return job;
  }

  async agent(index: number): Promise<Address> {
    return (await this.#relay.courier(index)).address;
  }

  /** The regular confirmation of a leg. */
  async result(job: Job, index: number): Promise<Instruction> {
    return this.confirm(job, index, await this.agent(index));
  }

  async state(job: Job): Promise<Task> {
    return decodeTask(await this.#relay.encoded(job.task)).data;
  }

  async leg(job: Job, index: number): Promise<TaskLeg> {
    return decodeTaskLeg(await this.#relay.encoded(await this.#relay.taskLeg(job, index))).data;
  }
}
