import assert from 'node:assert/strict';
import type { Instruction, KeyPairSigner } from '@solana/kit';
import { must, SOL, type Delivery } from '../harness/delivery.js';
import type { Outcome } from '../harness/ledger.js';
import type { Relay } from '../harness/relay.js';
import { terms } from '../harness/terms.js';
import { secondOf, until, waitFor } from './clock.js';

/** What every leg pays. */
export const PAYMENT = SOL / 5n + 1n;
/** The shortest that terms may name, and so each clock of every package here. */
export const CLOCK = 300n;
/** Half a minute more than the shortest: a busy validator takes a while to list a package. */
const AHEAD = 630n;
/** The first try is made this many seconds before it can be taken. */
const LEAD = 12n;
const BETWEEN_TRIES = 300;
/** A closed package keeps it, so that nothing is listed there again. */
const RENT_OF_EMPTY_ACCOUNT = 890_880n;

/** A move that others may make from a second on, and the error until then. */
export interface Opening {
  readonly at: bigint;
  readonly refusal: string;
}

/** One package with wallets of its own. */
export class Scene {
  readonly relay: Relay;
  readonly name: string;
  readonly delivery: Delivery;
  readonly lister: KeyPairSigner;
  readonly couriers: readonly KeyPairSigner[];
  readonly #before: readonly bigint[];
  deadline = 0n;

  private constructor(relay: Relay, name: string, delivery: Delivery, couriers: KeyPairSigner[], before: bigint[]) {
    this.relay = relay;
    this.name = name;
    this.delivery = delivery;
    this.lister = delivery.shipper;
    this.couriers = couriers;
    this.#before = before;
  }

  /** Wallets with money, for a package that is not yet listed. */
  static async cast(relay: Relay, name: string, legs: number, number: number): Promise<Scene> {
    const lister = await relay.person(`${name} lister`);
    const couriers: KeyPairSigner[] = [];
    for (let index = 0; index < legs; index += 1) couriers.push(await relay.person(`${name} courier ${index}`));
    const delivery = await relay.delivery(number, { shipper: lister, funder: lister });
    const before: bigint[] = [];
    for (const { address } of [lister, ...couriers]) before.push(await relay.lamports(address));
    return new Scene(relay, name, delivery, couriers, before);
  }

  async list(): Promise<void> {
    this.deadline = (await secondOf(this.relay)) + AHEAD;
    const clock = Number(CLOCK);
    const offer = await terms({ carry: clock, handoff: clock, review: clock, arbitration: clock });
    await this.send(this.relay.list(this.delivery, { deadline: this.deadline, terms: offer }));
  }

  /** The last that the coordinator does: forms the swarm, and assigns the first `assigned` of its legs. */
  async form(assigned = this.couriers.length): Promise<void> {
    const { delivery, relay } = this;
    const total = PAYMENT * BigInt(this.couriers.length);
    const instructions = [relay.form(delivery, this.couriers.length, total)];
    for (const [index, courier] of this.couriers.slice(0, assigned).entries()) {
      instructions.push(await relay.assign(delivery, index, courier.address, PAYMENT));
    }
    await this.send(...instructions);
  }

  courier(index = 0): KeyPairSigner {
    const courier = this.couriers[index];
    if (!courier) throw new Error(`${this.name} has no courier ${index}`);
    return courier;
  }

  async send(...instructions: readonly Instruction[]): Promise<void> {
    must(await this.relay.ledger.send(...instructions));
  }

  /** Now, with this error. */
  async refused(instruction: Instruction, error: string): Promise<void> {
    const outcome = await this.relay.ledger.send(instruction);
    assert.deepEqual([this.name, outcome.error], [this.name, error]);
  }

  /** Tries on both sides of its second: every try before it is refused with the error, and one of those after it is taken. */
  async opens(what: string, instruction: Instruction, { at, refusal }: Opening): Promise<void> {
    await until(this.relay, at - LEAD);
    const outcomes: Outcome[] = [];
    const tries: Promise<unknown>[] = [];
    while (!outcomes.some(({ second }) => second >= at)) {
      tries.push(this.relay.ledger.send(instruction).then((outcome) => outcomes.push(outcome)));
      await waitFor(BETWEEN_TRIES);
    }
    await Promise.all(tries);
    for (const { error, second } of outcomes) {
      const tried = [this.name, what, second - at, error];
      const early = [this.name, what, second - at, refusal];
      if (second < at) assert.deepEqual(tried, early);
      else assert.notDeepEqual(tried, early);
    }
    const lastRefused = latest(outcomes.filter(({ second }) => second < at));
    const taken = outcomes.filter(({ error }) => error === undefined);
    assert.deepEqual([this.name, taken.length], [this.name, 1]);
    const beside = (second: bigint) => `${second} (${second - at} s)`;
    const figures = `due ${at}, last refused ${beside(lastRefused)}, first taken ${beside(latest(taken))}`;
    process.stdout.write(`${this.name}: ${what}: ${figures}, of ${outcomes.length} tries\n`);
  }

  /** The second since which a leg's turn runs. */
  async since(index = 0): Promise<bigint> {
    return (await this.relay.moves.leg(this.delivery, index)).turn.since;
  }

  async accept(index = 0, take = false): Promise<void> {
    await this.send(await this.relay.moves.accept(this.delivery, { index, courier: this.courier(index), take }));
  }

  async claim(index = 0): Promise<void> {
    await this.send(await this.relay.moves.claim(this.delivery, { index, courier: this.courier(index) }));
  }

  async vacate(signer: KeyPairSigner, index = 0): Promise<Instruction> {
    return this.relay.moves.vacate(this.delivery, { index, courier: this.courier(index), signer });
  }

  /** A leg that nobody contradicted, or that is ruled, is confirmed by `recipient`. */
  async crank(recipient: KeyPairSigner, index = 0): Promise<Instruction> {
    const courier = this.courier(index).address;
    const next = index === this.couriers.length - 1 ? {} : { next: index + 1 };
    return this.relay.confirm(this.delivery, { index, courier, recipient, ...next });
  }

  async settle(): Promise<void> {
    await this.send(await this.relay.settle(this.delivery, this.couriers.length, this.lister));
  }

  async reclaim(): Promise<Instruction> {
    return this.relay.moves.reclaim(this.delivery, this.lister, this.couriers.length);
  }

  /** Ends with these gains, to the lamport, and with nothing left but the closed package's address. */
  async expectGains(lister: bigint, ...couriers: readonly bigint[]): Promise<void> {
    const { delivery, relay } = this;
    await this.send(relay.close(delivery));
    const closed = await relay.state(delivery.package);
    assert.deepEqual([this.name, closed.data.length, closed.lamports], [this.name, 0, RENT_OF_EMPTY_ACCOUNT]);
    const gains: bigint[] = [];
    for (const [place, { address }] of [this.lister, ...this.couriers].entries()) {
      gains.push((await relay.lamports(address)) - (this.#before[place] ?? 0n));
    }
    assert.deepEqual([this.name, gains], [this.name, [lister - RENT_OF_EMPTY_ACCOUNT, ...couriers]]);
    const legs = await Promise.all(this.couriers.map((_, index) => relay.leg(delivery, index)));
    for (const address of [delivery.vault, delivery.swarm, ...legs]) {
      assert.deepEqual([this.name, await relay.ledger.account(address)], [this.name, undefined]);
    }
    process.stdout.write(`${this.name}: ended; lister and couriers gained ${gains.join(', ')} lamports\n`);
  }
}

function latest(outcomes: readonly Outcome[]): bigint {
  return outcomes.reduce((last, { second }) => (second > last ? second : last), 0n);
}
