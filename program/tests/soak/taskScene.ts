import type { Instruction, KeyPairSigner } from '@solana/kit';
import { SOL } from '../harness/delivery.js';
import { firstLegs, type Job } from '../harness/job.js';
import type { Relay } from '../harness/relay.js';
import { EVIDENCE_HASH, terms } from '../harness/terms.js';
import { secondOf } from './clock.js';
import { AHEAD, CLOCK, Stage } from './stage.js';

/** One task. Its people are the poster, the receiver, and an agent for each leg. */
export class TaskScene extends Stage {
  readonly job: Job;
  readonly lister: KeyPairSigner;
  readonly receiver: KeyPairSigner;
  readonly agents: readonly KeyPairSigner[];
  /** Legs that were given to their agents. */
  #assigned = 0;

  private constructor(relay: Relay, name: string, job: Job, people: [KeyPairSigner[], bigint[]]) {
    super(relay, name, ...people);
    const [poster, receiver, ...agents] = people[0];
    if (!poster || !receiver) throw new RangeError(`${name} lacks people`);
    this.job = job;
    this.lister = poster;
    this.receiver = receiver;
    this.agents = agents;
  }

  /** Wallets with money, for a task that is not yet listed. */
  static async cast(relay: Relay, name: string, legs: number, number: number): Promise<TaskScene> {
    const agents = Array.from({ length: legs }, (_, index) => `${name} agent ${index}`);
    const people = await Stage.wallets(relay, [`${name} poster`, `${name} receiver`, ...agents]);
    const poster = await relay.person(`${name} poster`);
    return new TaskScene(relay, name, await relay.tasks.job(number, { poster, funder: poster }), people);
  }

  /** The payment of every leg: a budget of one SOL is divided. */
  get payment(): bigint {
    return SOL / BigInt(this.agents.length);
  }

  async list(): Promise<void> {
    this.deadline = (await secondOf(this.relay)) + AHEAD;
    const clock = Number(CLOCK);
    const clocks = { carry: clock, handoff: clock, review: clock, arbitration: clock };
    const offer = await terms({ receiver: this.receiver.address, ...clocks });
    const listing = { numLegs: this.agents.length, deadline: this.deadline, terms: offer };
    await this.send(this.relay.tasks.list(this.job, listing));
  }

  /** The coordinator's part: it gives out the next leg. */
  async assign(): Promise<void> {
    const index = this.#assigned;
    await this.send(await this.relay.tasks.assign(this.job, index, this.agent(index).address));
    this.#assigned += 1;
  }

  agent(index = 0): KeyPairSigner {
    const agent = this.agents[index];
    if (!agent) throw new Error(`${this.name} has no agent ${index}`);
    return agent;
  }

  /** The second since which a leg's turn runs. */
  async since(index = 0): Promise<bigint> {
    return (await this.relay.moves.leg(this.job, index)).turn.since;
  }

  async accept(index = 0): Promise<void> {
    await this.send(await this.relay.moves.accept(this.job, { index, courier: this.agent(index) }));
  }

  async claim(index = 0): Promise<void> {
    await this.send(await this.relay.moves.claim(this.job, { index, courier: this.agent(index) }));
  }

  async dispute(disputer: KeyPairSigner): Promise<void> {
    await this.send(await this.relay.moves.dispute(this.job, { disputer }));
  }

  /** By the arbiter, between the agent and the disputer. */
  async rule(percent: number, { address: other } = this.lister): Promise<void> {
    await this.send(await this.relay.moves.rule(this.job, { courier: this.agent(), other, percent }));
  }

  async vacate(signer: KeyPairSigner): Promise<Instruction> {
    return this.relay.moves.vacate(this.job, { courier: this.agent(), signer });
  }

  async confirm(signer: KeyPairSigner, index = 0, resultHash = EVIDENCE_HASH): Promise<Instruction> {
    return this.relay.tasks.confirm(this.job, index, this.agent(index).address, resultHash, signer);
  }

  async settle(): Promise<void> {
    await this.send(await this.relay.tasks.settle(this.job, firstLegs(this.#assigned), this.lister));
  }

  /** `accepted` is the agent that gets its stake back. */
  async reclaim(accepted?: KeyPairSigner): Promise<Instruction> {
    const agents = accepted ? [accepted.address] : [];
    return this.relay.tasks.reclaim(this.job, firstLegs(this.#assigned), this.lister, agents);
  }

  /** The funder waits until the deadline. */
  async reclaimed(accepted?: KeyPairSigner): Promise<void> {
    const opening = { at: this.deadline, refusal: 'DeadlineNotReached' };
    await this.opens('the funder reclaims', await this.reclaim(accepted), opening);
  }

  /** Ends with these gains, to the lamport, and with nothing left but the closed task's address. */
  async expectGains(...gains: readonly bigint[]): Promise<void> {
    const { job, relay } = this;
    await this.send(relay.tasks.close(job));
    const legs = await Promise.all(this.agents.map((_, index) => relay.taskLeg(job, index)));
    await this.expectEnd(job.task, [job.vault, ...legs], gains);
  }
}
