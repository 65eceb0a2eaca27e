import { setTimeout as sleep } from 'node:timers/promises';
import { confirmLeg, type DigitalTaskDetail, type PackageDetail } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import { Agent, type World } from '../agent.js';
import type { Refusal } from '../refusals.js';
import type { Kind, Listing } from '../kind.js';
import { bidIn, costIn } from '../money/units.js';
import { PACKAGES } from '../packages/story.js';
import { postersOf, type People, workersOf } from '../people.js';
import { claim, handIn } from '../tasks/calls.js';
import { TASKS } from '../tasks/kind.js';
import { requireOutdated } from '../terms/turns.js';

const PAUSE_MS = 200;
/** In the place of the number of a story: whose address these people have. */
const AFTERWARDS = 5_000;
/** Somebody else was faster, or the service shows a state that is over: the listing itself tells. */
const LOOK_AGAIN: readonly Refusal[] = [
  'agent_barred',
  'already_on_task',
  'invalid_status',
  'leg_out_of_order',
  'leg_taken',
  'not_your_leg',
  'result_submitted',
  'transaction_failed',
];

/** The listings that survive, and their world. */
export interface Survivors {
  readonly world: World;
  readonly people: People;
}

/** Brings listings that were under way when the database was lost to an end, by what a service shows that read them from the ledger. */
export class AfterLoss {
  readonly #world: World;
  readonly #signers: ReadonlyMap<string, KeyPairSigner>;
  #number = AFTERWARDS;
  #tries = 0;

  constructor({ world, people }: Survivors) {
    this.#world = world;
    this.#signers = new Map([...postersOf(people), ...workersOf(people)].map((one) => [one.address as string, one]));
  }

  /** Resolves when the package has ended. */
  carryOn(id: string): Promise<void> {
    return this.#until(PACKAGES, id, (agent, parcel) => this.#carry(agent, parcel));
  }

  /** Resolves when the digital task has ended. */
  workOn(id: string): Promise<void> {
    return this.#until(TASKS, id, (agent, task) => this.#work(agent, task));
  }

  async #until<Known extends Listing>(
    kind: Kind<Known, never>,
    id: string,
    act: (agent: Agent, listing: Known) => Promise<void>,
  ): Promise<void> {
    const agent = new Agent(this.#world, this.#number++);
    for (;;) {
      const read = () => kind.get(agent.clientOf(this.#world.arbiter), id);
      const listing = await agent.step(`${id}: read after the loss`, read, false);
      if (!kind.open.includes(listing.status)) return;
      await act(agent, listing);
      agent.requireTime(`the ${kind.noun} was under way when the database was lost, and is ${listing.status}`);
      await sleep(PAUSE_MS);
    }
  }

  async #carry(agent: Agent, parcel: PackageDetail): Promise<void> {
    const { id, status, documentKnown, swarm } = parcel;
    if (status === 'listed')
      return documentKnown && isEven(id) ? this.#bid(agent, parcel) : this.#cancel(agent, PACKAGES, parcel);
    const leg = swarm?.legs.find(({ confirmSignature }) => confirmSignature === null);
    if (status !== 'in_transit' || leg === undefined) return;
    const next = swarm?.legs[leg.legIndex + 1]?.agentPubkey ?? parcel.shipperPubkey;
    const recipient = this.#signer(next);
    await this.#try(agent, `${id}: confirm leg ${leg.legIndex} after the loss`, () =>
      confirmLeg(agent.clientOf(recipient), this.#world.rpc, recipient, leg.id),
    );
  }

  async #bid(agent: Agent, { id: packageId, ...parcel }: PackageDetail): Promise<void> {
    const [courier] = this.#world.agents;
    if (courier === undefined) throw new RangeError('There are too few agents.');
    const places = {
      pickupLat: parcel.originLat,
      pickupLng: parcel.originLng,
      dropoffLat: parcel.destLat,
      dropoffLng: parcel.destLng,
    };
    const offer = { packageId, agentPubkey: courier.address, ...places, distanceKm: 15, estimatedDurationMin: 20 };
    const bid = { ...offer, ...costIn(this.#world.asset, 0.05) };
    await this.#try(agent, `${packageId}: bid after the loss`, () =>
      agent.handOf(courier, 'rest') === 'rest'
        ? agent.clientOf(courier).submitBid(bid)
        : agent.callAsUsual(courier, 'svc_submit_bid', bid),
    );
  }

  async #work(agent: Agent, task: DigitalTaskDetail): Promise<void> {
    const { id: taskId, status, documentKnown, legs } = task;
    if (status === 'listed' && (!documentKnown || !isEven(taskId))) return this.#cancel(agent, TASKS, task);
    const leg = legs.find((one) => one.status !== 'completed');
    if (leg === undefined || (leg.agentPubkey !== null && leg.status !== 'in_progress')) return;
    const name = { taskId, legId: leg.id };
    if (leg.agentPubkey !== null) {
      const caller = this.#caller(agent, this.#signer(leg.agentPubkey));
      return this.#try(agent, `${leg.id}: hand in after the loss`, () => handIn(caller, name, `Done again: ${leg.id}`));
    }
    // An agent that had a leg of it may have no other one: trials find one that may.
    const { agents, arbiter } = this.#world;
    const signer = agents[this.#tries++ % agents.length] ?? arbiter;
    await this.#try(agent, `${leg.id}: claim after the loss`, () =>
      claim(this.#caller(agent, signer), name, bidIn(this.#world.asset, 0.01)),
    );
  }

  async #cancel<Known extends Listing>(agent: Agent, kind: Kind<Known, never>, listing: Known): Promise<void> {
    const { instruction, build } = kind.cancel;
    const name = `${listing.id}: cancel after the loss`;
    await agent.sendSilently(name, this.#signer(listing.shipperPubkey), instruction, (client) =>
      build(client, listing.id),
    );
  }

  async #try(agent: Agent, name: string, act: () => Promise<unknown>): Promise<void> {
    await agent.ask(name, LOOK_AGAIN, () => act().catch(requireOutdated));
  }

  /** Signs as ever: who never does would be bound to it by one signature. */
  #caller(agent: Agent, signer: KeyPairSigner) {
    return { agent, signer, hand: agent.handOf(signer, 'rest') };
  }

  #signer(pubkey: string): KeyPairSigner {
    const found = this.#signers.get(pubkey);
    if (found === undefined) throw new Error(`${pubkey} is nobody of the honest`);
    return found;
  }
}

/** Of about half of all listings. */
const isEven = (id: string) => Number.parseInt(id.slice(-1), 16) % 2 === 0;
