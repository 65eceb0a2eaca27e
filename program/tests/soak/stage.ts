import assert from 'node:assert/strict';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import { must } from '../harness/delivery.js';
import type { Outcome } from '../harness/ledger.js';
import type { Relay } from '../harness/relay.js';
import { until, waitFor } from './clock.js';

/** The shortest that terms may name, and so each clock of every package and task here. */
export const CLOCK = 300n;
/** Half a minute more than the shortest: a busy validator takes a while to list something. */
export const AHEAD = 630n;
/** The first try is made this many seconds before it can be taken. */
const LEAD = 12n;
const BETWEEN_TRIES = 300;
/** A closed listing keeps it, so that nothing is listed there again. */
const RENT_OF_EMPTY_ACCOUNT = 890_880n;

/** A move that others may make from a second on, and the error until then. */
export interface Opening {
  readonly at: bigint;
  readonly refusal: string;
}

/** One package or task with wallets of its own, and how it ends. */
export abstract class Stage {
  readonly relay: Relay;
  readonly name: string;
  /** The listers and the workers; nobody else has money in it. */
  readonly people: readonly KeyPairSigner[];
  readonly #before: readonly bigint[];
  deadline = 0n;

  protected constructor(relay: Relay, name: string, people: readonly KeyPairSigner[], before: readonly bigint[]) {
    this.relay = relay;
    this.name = name;
    this.people = people;
    this.#before = before;
  }

  /** Wallets with money, each with what it has. */
  protected static async wallets(relay: Relay, names: readonly string[]): Promise<[KeyPairSigner[], bigint[]]> {
    const people: KeyPairSigner[] = [];
    for (const name of names) people.push(await relay.person(name));
    const before: bigint[] = [];
    for (const { address } of people) before.push(await relay.lamports(address));
    return [people, before];
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

  /** The listing is closed: these are the gains of its people, to the lamport, and nothing is left but its address. */
  protected async expectEnd(listing: Address, gone: readonly Address[], gains: readonly bigint[]): Promise<void> {
    const { relay } = this;
    const closed = await relay.state(listing);
    assert.deepEqual([this.name, closed.data.length, closed.lamports], [this.name, 0, RENT_OF_EMPTY_ACCOUNT]);
    const found: bigint[] = [];
    for (const [place, { address }] of this.people.entries()) {
      found.push((await relay.lamports(address)) - (this.#before[place] ?? 0n));
    }
    const [lister = 0n, ...others] = gains;
    assert.deepEqual([this.name, found], [this.name, [lister - RENT_OF_EMPTY_ACCOUNT, ...others]]);
    for (const address of gone)
      assert.deepEqual([this.name, await relay.ledger.account(address)], [this.name, undefined]);
    process.stdout.write(`${this.name}: ended; its people gained ${found.join(', ')} lamports\n`);
  }
}

function latest(outcomes: readonly Outcome[]): bigint {
  return outcomes.reduce((last, { second }) => (second > last ? second : last), 0n);
}
