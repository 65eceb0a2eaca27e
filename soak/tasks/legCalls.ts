import { type DigitalLegDetail, type DigitalTaskDetail, resultHash } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Agent, World } from '../agent.js';
import type { Refusal } from '../refusals.js';
import type { Listed } from '../listed.js';
import { bidIn } from '../money/units.js';
import type { Hand } from '../stories.js';
import { claim, giveBack, handIn, type LegName, type Receipt } from './calls.js';
import type { LegStory } from './story.js';

const UNASKED = 'What nobody asked for.';

/** Where a leg is worked on. */
export interface Scene {
  readonly world: World;
  readonly agent: Agent;
  readonly listed: Listed<DigitalTaskDetail>;
  readonly paymentLamports: bigint;
  /** True if somebody may be too late although the story does not say so. */
  readonly isShort: boolean;
}

/** The calls of agents about one leg, each until it is answered. */
export class LegCalls {
  readonly #scene: Scene;
  readonly #story: LegStory;
  readonly #name: LegName;
  readonly #index: number;

  constructor(scene: Scene, story: LegStory, { id, legIndex }: DigitalLegDetail) {
    this.#scene = scene;
    this.#story = story;
    this.#name = { taskId: scene.listed.id, legId: id };
    this.#index = legIndex;
  }

  /** Reads it until there is something to give back. @param missing - the error text when time runs out */
  poll<T>(what: string, choose: (leg: DigitalLegDetail) => T | undefined, missing: string): Promise<T> {
    return this.#scene.agent.poll(this.called(what), async () => choose(await this.#read()), missing);
  }

  /** Reports whether the agent has it now; somebody else may have been faster. */
  async isClaimed(signer: KeyPairSigner, refusals: readonly Refusal[] = []): Promise<boolean> {
    const { refused } = await this.#scene.agent.ask(this.called('claim'), ['leg_taken', ...refusals], () =>
      this.claimFor(signer),
    );
    return refused === undefined;
  }

  /** Claims it. For one call. */
  claimFor(signer: KeyPairSigner): Promise<void> {
    const { agent, world } = this.#scene;
    const caller = { agent, signer, hand: agent.handOf(signer, this.#story.claims) };
    return claim(caller, this.#name, bidIn(world.asset, 0.01));
  }

  /**
   * Hands in a result.
   *
   * @param paid - the payment that the answer has to state, if that is certain
   * @returns why it was refused; undefined: it was taken
   */
  async handIn(
    signer: KeyPairSigner,
    result: string,
    refusals: readonly Refusal[],
    paid?: bigint,
  ): Promise<Refusal | undefined> {
    const { refused, answer } = await this.#scene.agent.ask(this.called('hand in'), refusals, () =>
      this.deliver(signer, result),
    );
    if (answer === undefined) return refused;
    const { payment } = answer;
    const isRight = payment === (paid ?? this.#scene.paymentLamports) || (paid === undefined && payment === null);
    if (!isRight || answer.resultHash !== resultHash(result).hex) {
      throw new Error(`${this.called('hand in')}: answered with ${payment} for ${answer.resultHash}`);
    }
    return undefined;
  }

  /** Hands in. For one call. */
  deliver(signer: KeyPairSigner, result = UNASKED): Promise<Receipt> {
    const { agent } = this.#scene;
    return this.#send(signer, agent.handOf(signer, this.#story.delivers), result);
  }

  /** Hands in without the signature of the agent, as anybody could. For one call. */
  deliverUnsigned(signer: KeyPairSigner): Promise<Receipt> {
    return this.#send(signer, 'tool', UNASKED);
  }

  /** @returns true if the agent is barred now, or the reason that it was refused */
  async giveBack(signer: KeyPairSigner, refusals: readonly Refusal[]): Promise<boolean | Refusal> {
    const { agent } = this.#scene;
    const said = await agent.ask(this.called('give back'), refusals, () => giveBack({ agent, signer }, this.#name));
    return said.answer ?? said.refused ?? false;
  }

  /** @throws Error unless it is refused for one of these reasons */
  async requireRefusal(what: string, codes: readonly Refusal[], action: () => Promise<unknown>): Promise<void> {
    const name = this.called(what);
    const { refused } = await this.#scene.agent.ask(name, codes, action);
    if (refused === undefined) throw new Error(`${name}: not refused`);
  }

  #send(signer: KeyPairSigner, hand: Hand, result: string): Promise<Receipt> {
    return handIn({ agent: this.#scene.agent, signer, hand }, this.#name, result);
  }

  /** As the service shows it. For one call; a step repeats it. */
  async #read(): Promise<DigitalLegDetail> {
    const found = (await this.#scene.listed.read()).legs[this.#index];
    if (!found) throw new Error(`${this.called('read')}: it is not there`);
    return found;
  }

  /** The name of an event on it in findings. */
  called(what: string): string {
    return `${this.#name.taskId}: leg ${this.#index}, ${what}`;
  }
}
