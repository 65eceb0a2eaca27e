import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DigitalLegDetail } from '@legwork/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import type { Refusal } from '../refusals.js';
import { LegCalls, type Scene } from './legCalls.js';
import type { LegStory, Mishap } from './story.js';

/** The history of a leg, as its agents know it. */
export interface LegRecord {
  /** The agents that had it on the ledger and did not complete it, in this order. */
  readonly givenUp: readonly Address[];
  /** The result that was taken. */
  readonly taken: { readonly agent: Address; readonly result: string } | undefined;
}

/** Of a leg that nobody had. */
export const UNTOUCHED: LegRecord = { givenUp: [], taken: undefined };

/** The service did not take a result: the claim had ended, or was about to. */
const LOST: readonly Refusal[] = ['not_your_leg', 'invalid_status'];

/** The agents of one leg, who claim it, give it up and complete it. */
export class LegWork {
  readonly #scene: Scene;
  readonly #story: LegStory;
  readonly #calls: LegCalls;
  readonly #waiting: KeyPairSigner[];
  readonly #givenUp: Address[] = [];
  #holder: KeyPairSigner | undefined;
  #taken: LegRecord['taken'];

  constructor(scene: Scene, story: LegStory, leg: DigitalLegDetail) {
    this.#scene = scene;
    this.#story = story;
    this.#calls = new LegCalls(scene, story, leg);
    this.#waiting = story.agents.flatMap((which) => scene.world.agents[which] ?? []);
  }

  get record(): LegRecord {
    return { givenUp: this.#givenUp, taken: this.#taken };
  }

  /** Several agents want it at once; one of them has it then. */
  async claim(): Promise<void> {
    const rivals = this.#waiting.slice(0, this.#story.rivals);
    const claims = await Promise.all(
      rivals.map(async (rival) => ((await this.#calls.isClaimed(rival)) ? [rival] : [])),
    );
    const [holder, ...others] = claims.flat();
    if (!holder || others.length > 0) {
      throw new Error(
        `${this.#calls.called('claim')}: ${others.length + (holder ? 1 : 0)} of ${rivals.length} rivals have it`,
      );
    }
    this.#holder = holder;
  }

  /** One agent claims it, unless the task ends meanwhile. */
  async claimInRace(): Promise<void> {
    const [only] = this.#waiting;
    if (only && (await this.#calls.isClaimed(only, ['invalid_status', 'transaction_failed']))) this.#holder = only;
  }

  /** Its agent's work while the legs before are not completed. */
  async reserve(): Promise<void> {
    if (this.#story.isProbed)
      await this.#calls.requireRefusal('its turn', ['leg_out_of_order'], () => this.#calls.deliver(this.#having));
    if (!this.#story.withdraws) return;
    const released = await this.#calls.giveBack(this.#having, ['not_your_leg']);
    if (released === true) throw new Error(`${this.#calls.called('withdraw')}: a reservation left a trace`);
    await this.claim();
  }

  /** Somebody has it and gives it back, so that nobody has it. */
  async passThrough(): Promise<void> {
    await this.claim();
    await this.#calls.giveBack(this.#having, ['not_your_leg']);
    await this.#lose();
  }

  /** Somebody has it, on the ledger too, and does nothing more. */
  async begin(): Promise<void> {
    if (!this.#holder) await this.claim();
    await this.#untilAssigned();
  }

  /** Its agent hands in, perhaps too late. */
  async contest(): Promise<void> {
    await this.#deliver(this.#having, LOST);
  }

  /** Agents have it until one of them has completed it and is paid. */
  async complete(): Promise<void> {
    for (let mishap = this.#story.mishap; ; mishap = 'none') {
      if (!this.#holder) await this.claim();
      if (await this.#isDelivered(mishap)) break;
      await this.#lose();
    }
    const isPaid = ({ status }: DigitalLegDetail) => status === 'completed' || undefined;
    await this.#calls.poll('paid', isPaid, 'its result was taken and not paid');
    if (this.#story.isProbed) await this.#probePaid();
  }

  get #having(): KeyPairSigner {
    if (!this.#holder) throw new Error(`${this.#calls.called('have')}: nobody has it`);
    return this.#holder;
  }

  /** Another agent, who has not got this leg. */
  get #other(): KeyPairSigner {
    const found = this.#scene.world.agents.find((one) => one !== this.#holder);
    if (!found) throw new RangeError('There are too few agents.');
    return found;
  }

  /** Reports whether a result of the agent that has it was taken. */
  async #isDelivered(mishap: Mishap): Promise<boolean> {
    const holder = this.#having;
    const isUrgent = mishap === 'wavers' || mishap === 'late';
    // Before that it may still be reserved: given back, a reservation leaves no trace, and its agent may claim again.
    if ((isUrgent || mishap === 'releases') && (await this.#untilAssigned()).agentPubkey === null) return false;
    if (this.#story.isProbed && !isUrgent) await this.#probeHeld();
    if (mishap === 'vanishes') return false;
    if (mishap === 'releases') {
      await this.#calls.giveBack(holder, ['not_your_leg']);
      return false;
    }
    if (mishap === 'wavers') return this.#waver(holder);
    if (mishap === 'late') {
      const { dueAt } = await this.#untilAssigned();
      await sleep(Math.max(0, (dueAt?.getTime() ?? 0) + this.#story.lateMs - Date.now()));
    }
    return this.#deliver(holder, isUrgent || this.#scene.isShort ? LOST : []);
  }

  /** Gives it back and hands in at once: one of the two counts. */
  async #waver(holder: KeyPairSigner): Promise<boolean> {
    const [isTaken, released] = await Promise.all([
      this.#deliver(holder, LOST),
      this.#calls.giveBack(holder, ['not_your_leg', 'result_submitted']),
    ]);
    if (isTaken !== (released === 'result_submitted')) {
      throw new Error(
        `${this.#calls.called('waver')}: result ${isTaken ? '' : 'not '}taken, release ${String(released)}`,
      );
    }
    return isTaken;
  }

  /** Hands in as the story says; of two results at once one is taken. */
  async #deliver(holder: KeyPairSigner, refusals: readonly Refusal[]): Promise<boolean> {
    const { delivery } = this.#story;
    const first = resultOf(holder, 1, this.#story);
    const second = delivery === 'torn' ? resultOf(holder, 2, this.#story) : first;
    const results = delivery === 'once' ? [first] : [first, second];
    const allowed: readonly Refusal[] = delivery === 'torn' ? [...refusals, 'result_submitted'] : refusals;
    const said = await Promise.all(results.map((result) => this.#calls.handIn(holder, result, allowed)));
    const taken = new Set(results.filter((_, index) => said[index] === undefined));
    if (taken.size > 1) throw new Error(`${this.#calls.called('hand in')}: two results were taken`);
    const [result] = taken;
    if (result === undefined && said.includes('result_submitted')) {
      throw new Error(`${this.#calls.called('hand in')}: each result is said to be the other`);
    }
    if (result !== undefined) this.#taken = { agent: holder.address, result };
    return result !== undefined;
  }

  /** The agent has it no more: it is open again, but not to that agent. */
  async #lose(): Promise<void> {
    const loser = this.#having;
    const isOpen = ({ agentPubkey, status }: DigitalLegDetail) =>
      (agentPubkey === null && status === 'pending') || undefined;
    await this.#calls.poll('released', isOpen, 'its agent still has it');
    this.#givenUp.push(loser.address);
    this.#waiting.splice(this.#waiting.indexOf(loser), 1);
    this.#holder = undefined;
    await this.#calls.requireRefusal('claim it again', ['agent_barred'], () => this.#calls.claimFor(loser));
  }

  /** As it is when the ledger shows its assignment; or, where its agent has little time, when nobody has it any more. */
  #untilAssigned(): Promise<DigitalLegDetail> {
    const isOver = ({ agentPubkey }: DigitalLegDetail) => this.#scene.isShort && agentPubkey === null;
    const read = (leg: DigitalLegDetail) => (leg.status === 'in_progress' || isOver(leg) ? leg : undefined);
    return this.#calls.poll('assigned', read, 'the ledger does not show its assignment');
  }

  /** The calls that are refused while somebody else has it. */
  async #probeHeld(): Promise<void> {
    await this.#calls.requireRefusal('another hands in', ['not_your_leg'], () => this.#calls.deliver(this.#other));
    if (!this.#scene.world.signing.has(this.#having.address)) return;
    await this.#calls.requireRefusal('somebody hands in for it', ['signature_required'], () =>
      this.#calls.deliverUnsigned(this.#having),
    );
  }

  /** The answers when it is over. */
  async #probePaid(): Promise<void> {
    const holder = this.#having;
    await this.#calls.handIn(holder, this.#taken?.result ?? '', [], this.#scene.paymentLamports);
    await this.#calls.requireRefusal('hand in another result', ['result_submitted'], () => this.#calls.deliver(holder));
    await this.#calls.requireRefusal('another is too late', ['not_your_leg'], () => this.#calls.deliver(this.#other));
    if ((await this.#calls.giveBack(holder, ['result_submitted'])) !== 'result_submitted') {
      throw new Error(`${this.#calls.called('give back')}: it is paid and was given back`);
    }
  }
}

/** An agent's result, as long as the story says. */
function resultOf({ address }: KeyPairSigner, version: number, { resultCharacters }: LegStory): string {
  return `Version ${version} by ${address} (${randomUUID()}). `.padEnd(resultCharacters, 'It says "naïve",\n');
}
