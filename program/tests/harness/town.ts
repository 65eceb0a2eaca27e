import {
  getConfigDecoder,
  getLegDecoder,
  getPackageDecoder,
  getReputationDecoder,
  getSwarmDecoder,
  getTaskDecoder,
  getTaskLegDecoder,
  PackageStatus,
  TaskStatus,
} from '@legwork/program-client';
import type { Config, Package, Reputation, Swarm, Task, TaskLeg } from '@legwork/program-client';
import { unwrapOption, type Address, type KeyPairSigner } from '@solana/kit';
import { DEADLINE, NOW, type Delivery } from './delivery.js';
import type { Job } from './job.js';
import type { LegWithTurn } from './escrow.js';
import type { Relay } from './relay.js';
import { boundless } from './mandates.js';
import { INCINERATOR } from './terms.js';

export const COURIERS = 4;
export const MAX_LEGS = 3;
export const MAX_TASK_LEGS = 4;
/** As many deliveries as jobs. */
export const DELIVERIES = 3;
const ENDED: readonly PackageStatus[] = [PackageStatus.Delivered, PackageStatus.Cancelled, PackageStatus.Reclaimed];

/** The known state of a package: none, its fields, or that it was closed. */
export type PackageState = Package | 'unlisted' | 'closed';

export function isOpen(state: PackageState): state is Package {
  return typeof state === 'object' && !ENDED.includes(state.status);
}

/** The known state of a task, likewise. */
export type TaskState = Task | 'unlisted' | 'closed';

export function isUnderWay(state: TaskState): state is Task {
  return typeof state === 'object' && [TaskStatus.Listed, TaskStatus.InProgress].includes(state.status);
}

/** People, deliveries, jobs, and every account that lamports of theirs can be in. */
export class Town {
  readonly relay: Relay;
  readonly deliveries: readonly Delivery[];
  readonly jobs: readonly Job[];
  readonly people: readonly KeyPairSigner[];
  readonly addresses: readonly Address[];

  #now = NOW;

  private constructor(relay: Relay, parts: Pick<Town, 'deliveries' | 'jobs' | 'people' | 'addresses'>) {
    this.relay = relay;
    this.deliveries = parts.deliveries;
    this.jobs = parts.jobs;
    this.people = parts.people;
    this.addresses = parts.addresses;
  }

  /** Three deliveries and three jobs that begin with this number, at a time before their deadline. */
  static async create(relay: Relay, first: number): Promise<Town> {
    await relay.ledger.setClock(NOW);
    const people = [relay.coordinator, relay.authority];
    for (let index = 0; index < COURIERS; index += 1) people.push(await relay.courier(index));
    for (const name of ['shipper', 'funder', 'stranger', 'deputy', 'heir', 'poster', 'receiver', 'arbiter'])
      people.push(await relay.person(name));
    // In every second town mandates pay for one delivery and one job.
    const mandates = Math.floor(first / DELIVERIES) % 2 === 1 ? await boundless(relay) : [];
    const [forPackages, forTasks] = mandates;
    const deliveries = [
      { ...(await relay.delivery(first)), ...forPackages },
      await relay.delivery(first + 1, { funder: await relay.person('shipper') }),
      await relay.delivery(first + 2, { funder: relay.coordinator }),
    ];
    const jobs = [
      { ...(await relay.tasks.job(first)), ...forTasks },
      await relay.tasks.job(first + 1, { funder: await relay.person('poster') }),
      await relay.tasks.job(first + 2, { funder: relay.coordinator }),
    ];
    const addresses = [relay.config];
    for (const delivery of deliveries) {
      addresses.push(delivery.package, delivery.vault, delivery.swarm);
      for (let index = 0; index <= MAX_LEGS; index += 1) addresses.push(await relay.leg(delivery, index));
    }
    for (const job of jobs) {
      addresses.push(job.task, job.vault);
      for (let index = 0; index <= MAX_TASK_LEGS; index += 1) addresses.push(await relay.taskLeg(job, index));
    }
    for (const { address } of people) addresses.push(address, await relay.reputationOf(address));
    addresses.push(INCINERATOR, ...mandates.map(({ mandate }) => mandate));
    return new Town(relay, { deliveries, jobs, people, addresses });
  }

  /** The lamports at each of these addresses, in their order. */
  async balances(addresses: readonly Address[] = this.addresses): Promise<readonly bigint[]> {
    return Promise.all(addresses.map((address) => this.relay.lamports(address)));
  }

  async package(delivery: Delivery): Promise<PackageState> {
    const account = await this.relay.ledger.account(delivery.package);
    if (account?.owner !== this.relay.programAddress) return 'unlisted';
    return account.data.length === 0 ? 'closed' : getPackageDecoder().decode(account.data);
  }

  /** The legs of a swarm with terms, in their order; none of one without. */
  async legs(delivery: Delivery, swarm: Swarm): Promise<LegWithTurn[]> {
    const legs: LegWithTurn[] = [];
    for (let index = 0; index < swarm.assignedLegs; index += 1) {
      const { data } = await this.relay.state(await this.relay.leg(delivery, index));
      const leg = getLegDecoder().decode(data);
      const turn = unwrapOption(leg.turn);
      if (turn) legs.push({ ...leg, turn });
    }
    return legs;
  }

  /** True if the deadline of every delivery is over. */
  get isLate(): boolean {
    return this.#now >= DEADLINE;
  }

  /** Goes on for so many seconds. */
  async wait(seconds: bigint): Promise<void> {
    await this.setClock(this.#now + seconds);
  }

  /** Goes on until then, unless that is over. */
  async waitUntil(time: bigint): Promise<void> {
    if (time > this.#now) await this.setClock(time);
  }

  async setClock(time: bigint): Promise<void> {
    this.#now = time;
    await this.relay.ledger.setClock(time);
  }

  /** The swarm of a delivery, while it has one. */
  async swarm(delivery: Delivery): Promise<Swarm | undefined> {
    const account = await this.relay.ledger.account(delivery.swarm);
    return account?.owner === this.relay.programAddress ? getSwarmDecoder().decode(account.data) : undefined;
  }

  async task(job: Job): Promise<TaskState> {
    const account = await this.relay.ledger.account(job.task);
    if (account?.owner !== this.relay.programAddress) return 'unlisted';
    return account.data.length === 0 ? 'closed' : getTaskDecoder().decode(account.data);
  }

  /** The leg of a task, while it has an agent. */
  async taskLeg(job: Job, index: number): Promise<TaskLeg | undefined> {
    const account = await this.relay.ledger.account(await this.relay.taskLeg(job, index));
    return account?.owner === this.relay.programAddress ? getTaskLegDecoder().decode(account.data) : undefined;
  }

  /** The reputation of somebody, once there is one. */
  async reputation(agent: Address): Promise<Reputation | undefined> {
    const account = await this.relay.ledger.account(await this.relay.reputationOf(agent));
    return account?.owner === this.relay.programAddress ? getReputationDecoder().decode(account.data) : undefined;
  }

  async settings(): Promise<Config> {
    return getConfigDecoder().decode((await this.relay.state(this.relay.config)).data);
  }

  /** The person with this address; `otherwise` when there is none. */
  personAt(address: Address, otherwise: KeyPairSigner): KeyPairSigner {
    return this.people.find((person) => person.address === address) ?? otherwise;
  }

  courier(index: number): KeyPairSigner {
    const courier = this.people[2 + (index % COURIERS)];
    if (!courier) throw new Error('couriers come after coordinator and authority');
    return courier;
  }

  /** The courier whom a leg was assigned to, or the one who would be. */
  async carrier(delivery: Delivery, index: number): Promise<KeyPairSigner> {
    const leg = await this.relay.ledger.account(await this.relay.leg(delivery, index));
    if (leg?.owner !== this.relay.programAddress) return this.courier(index);
    return this.personAt(getLegDecoder().decode(leg.data).courier, this.courier(index));
  }
}
