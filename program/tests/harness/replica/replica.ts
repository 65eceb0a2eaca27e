import { decodeLeg, type Package } from '@legwork/program-client';
import type { Address, Instruction } from '@solana/kit';
import {
  ENDED,
  Machine,
  STAKES_HELD,
  type Move,
  type MoveName,
  type State,
} from '../../../../packages/protocol/tests/termsModel/machine.js';
import { must, NOW, SOL, type Delivery } from '../delivery.js';
import { otherSideOf } from '../legsWithTerms.js';
import type { Relay } from '../relay.js';
import { INCINERATOR, terms } from '../terms.js';
import {
  anyAttempt,
  attemptOf,
  expected,
  isTakeover,
  legalAttempt,
  type Attempt,
  type Chance,
  type Setting,
} from './attempts.js';
import { gains } from './amounts.js';
import { Cast } from './cast.js';

/** Seconds of a tick of the model: the shortest window that terms may have. */
const TICK = 300n;
/** The least stake that terms may have, and one lamport, so that halves are rounded. */
const STAKE = 1_781_761n;
const BUDGET = SOL / 50n;
const PAYMENT = SOL / 250n;
const [RENT_OF_VAULT, RENT_OF_LEG] = [890_880n, 1_566_000n];
/** Moves that bring a funder out whom nobody helps. */
const EXITS = ['settle', 'reclaim', 'crank', 'default', 'pay ruling'];

const RULINGS: readonly MoveName[] = ['rule', 'rule 0', 'agree', 'agree 0'];

export interface Replayed {
  readonly attempts: number;
  readonly accepted: number;
  /** How often each move was made. */
  readonly moves: ReadonlyMap<string, number>;
}

/** A package with terms on the ledger, and the model's state of it beside. */
export class Replica {
  readonly #relay: Relay;
  readonly #machine: Machine;
  readonly #delivery: Delivery;
  readonly #cast: Cast;
  /** How each leg was ruled. */
  readonly #percents: bigint[] = [];
  readonly #moves = new Map<string, number>();
  #state: State;
  #forfeited = 0n;
  #isPaused = false;
  #attempts = 0;
  #accepted = 0;

  private constructor(relay: Relay, machine: Machine, delivery: Delivery, cast: Cast) {
    this.#relay = relay;
    this.#machine = machine;
    this.#delivery = delivery;
    this.#cast = cast;
    this.#state = machine.start();
  }

  /** A package of this number whose legs are all assigned. */
  static async create(relay: Relay, number: number, { legs, isPaused, ...windows }: Setting): Promise<Replica> {
    const delivery = await relay.delivery(number);
    const cast = await Cast.of(relay, delivery, legs, PAYMENT);
    const replica = new Replica(relay, new Machine(legs, false, windows), delivery, cast);
    await replica.#begin();
    if (isPaused) await replica.#pause(true);
    return replica;
  }

  async #begin(): Promise<void> {
    const { ledger } = this.#relay;
    const { legs, deadline } = this.#machine.settings;
    await this.#setClock();
    const listing = { maxBudget: BUDGET, deadline: NOW + BigInt(deadline) * TICK, terms: await this.#terms() };
    must(await ledger.send(this.#relay.list(this.#delivery, listing)));
    must(await ledger.send(this.#relay.form(this.#delivery, legs, PAYMENT * BigInt(legs))));
    for (const [leg, { courier }] of this.#cast.seats.entries()) {
      must(await ledger.send(await this.#relay.assign(this.#delivery, leg, courier.address, PAYMENT)));
    }
  }

  async #pause(isPaused: boolean): Promise<void> {
    must(await this.#relay.ledger.send(this.#relay.setPaused(isPaused)));
    this.#isPaused = isPaused;
  }

  #terms() {
    const { carry, handoff, review, arbitration } = this.#machine.settings;
    const seconds = (ticks: number) => ticks * Number(TICK);
    const windows = { carry: seconds(carry), handoff: seconds(handoff), review: seconds(review) };
    return terms({ ...windows, arbitration: seconds(arbitration), stake: STAKE });
  }

  #setClock(): Promise<void> {
    return this.#relay.ledger.setClock(NOW + BigInt(this.#state.tick) * TICK);
  }

  /**
   * Lets things happen, then lets the funder leave.
   *
   * @throws Error when model and program disagree: what one accepts the other refuses, a leg has another status, or a leg or
   *   the vault has other lamports
   */
  async play(chances: readonly Chance[]): Promise<Replayed> {
    try {
      for (const chance of chances) await this.#happen(chance);
      await this.#leave();
    } finally {
      if (this.#isPaused) await this.#pause(false);
    }
    return { attempts: this.#attempts, accepted: this.#accepted, moves: this.#moves };
  }

  async #happen(chance: Chance): Promise<void> {
    if (this.#state.current === ENDED) return;
    if (chance.kind === 'tick') {
      await this.#tick();
      return;
    }
    const { legs } = this.#machine.settings;
    const attempt =
      chance.kind === 'any' ? anyAttempt(this.#state, legs, chance) : legalAttempt(this.#machine, this.#state, chance);
    if (attempt) await this.#try(attempt);
  }

  async #tick(): Promise<void> {
    this.#state = this.#machine.tick(this.#state);
    await this.#setClock();
  }

  /** The funder waits, and makes what moves it can. Rule T-45. */
  async #leave(): Promise<void> {
    while (this.#state.current !== ENDED) {
      if (this.#state.tick > this.#machine.latestEnd) throw new Error('The funder is not out in time');
      const exit = this.#machine.moves(this.#state).find(({ name }) => EXITS.includes(name));
      if (exit) await this.#try(attemptOf(exit));
      else await this.#tick();
    }
  }

  async #try(attempt: Attempt): Promise<void> {
    // Of all moves of legs only the service's own stands still.
    const isHeld = this.#isPaused && attempt.verb === 'assign';
    const move = isHeld ? undefined : expected(this.#machine, this.#state, attempt);
    const instruction = await this.#cast.instruction(attempt, isTakeover(this.#machine, this.#state));
    const due = move ? await this.#gains(move, attempt) : new Map<Address, bigint>();
    const before = await this.#balances(instruction);
    const { error } = await this.#relay.ledger.send(instruction);
    this.#attempts += 1;
    const told = `${JSON.stringify(attempt)} in ${JSON.stringify(this.#state)}, ${JSON.stringify(this.#machine.settings)}`;
    if ((error === undefined) !== (move !== undefined)) {
      throw new Error(`The model says ${move?.name ?? 'refused'}, the program ${error ?? 'accepted'}: ${told}`);
    }
    const wrong = this.#wrongGain(due, before, await this.#balances(instruction));
    if (wrong !== undefined) throw new Error(`${wrong}: ${told}`);
    if (move) await this.#follow(move, told);
  }

  /** What wallets get by a move, or by a refusal. */
  async #gains(move: Move, { percent, signer }: Attempt): Promise<Map<Address, bigint>> {
    if (RULINGS.includes(move.name)) this.#percents[move.leg] = BigInt(percent);
    if (move.name === 'default') this.#percents[move.leg] = 50n;
    const isDisputing = move.name === 'dispute';
    const disputer = isDisputing ? this.#cast.wallet(signer) : await this.#disputer(move);
    const parties = {
      couriers: this.#cast.seats.map(({ courier }) => courier.address),
      disputer,
      arbiter: this.#cast.wallet('arbiter'),
      funder: this.#cast.wallet('funder'),
    };
    const vault = await this.#relay.lamports(this.#delivery.vault);
    const amounts = { stake: STAKE, payment: PAYMENT, vault, percent: this.#percents[move.leg] ?? 0n };
    return gains(this.#state, move, parties, amounts);
  }

  async #disputer({ leg, next }: Move): Promise<Address> {
    if (next.current === ENDED) return this.#cast.wallet('lister');
    return otherSideOf(this.#relay, this.#delivery, await this.#relay.moves.leg(this.#delivery, leg));
  }

  #wrongGain(
    due: ReadonlyMap<Address, bigint>,
    before: ReadonlyMap<Address, bigint>,
    after: ReadonlyMap<Address, bigint>,
  ): string | undefined {
    const gained = (address: Address) => (after.get(address) ?? 0n) - (before.get(address) ?? 0n);
    const sum = [...before.keys()].reduce((total, address) => total + gained(address), 0n);
    if (sum !== 0n) return `${sum} lamports too many`;
    const wrong = [...this.#cast.wallets, INCINERATOR].find((address) => gained(address) !== (due.get(address) ?? 0n));
    return wrong === undefined ? undefined : `${wrong} gained ${gained(wrong)}, not ${due.get(wrong) ?? 0n}`;
  }

  async #follow(move: Move, told: string): Promise<void> {
    this.#accepted += 1;
    this.#moves.set(move.name, (this.#moves.get(move.name) ?? 0) + 1);
    if (move.name === 'assign') await this.#cast.replace(move.leg);
    if (move.stakes === 'forfeited') this.#forfeited += STAKE;
    this.#state = move.next;
    const difference = await this.#difference();
    if (difference !== undefined) throw new Error(`${difference} after ${move.name}: ${told}`);
  }

  /** What the ledger shows otherwise than the model. */
  async #difference(): Promise<string | undefined> {
    const isOver = this.#state.current === ENDED;
    for (const [index, { status }] of this.#state.legs.entries()) {
      const address = await this.#relay.leg(this.#delivery, index);
      const lamports = await this.#relay.lamports(address);
      const held = isOver ? 0n : RENT_OF_LEG + BigInt(STAKES_HELD[status] ?? 0) * STAKE;
      if (lamports !== held) return `Leg ${index} has ${lamports} lamports, not ${held}`;
      if (isOver) continue;
      const { status: shown }: { readonly status: number } = decodeLeg(await this.#relay.encoded(address)).data;
      if (shown !== status) return `Leg ${index} has status ${shown}, not ${status}`;
    }
    const { paid } = await this.#package();
    const vault = await this.#relay.lamports(this.#delivery.vault);
    const owed = isOver ? 0n : RENT_OF_VAULT + BUDGET - paid + this.#forfeited;
    if (vault !== owed) return `The vault has ${vault} lamports, not ${owed}`;
    if (isOver) return undefined;
    const swarm = await this.#relay.swarm(this.#delivery);
    if (swarm.completedLegs !== this.#state.current) return `${swarm.completedLegs} legs are completed`;
    const pool = swarm.totalLamports - swarm.paidLamports;
    return vault - RENT_OF_VAULT < pool ? `The vault does not cover the ${pool} lamports of the pool` : undefined;
  }

  #package(): Promise<Package> {
    return this.#relay.package(this.#delivery);
  }

  /** Lamports of what the instruction names: the runtime lets it touch nothing else. */
  async #balances({ accounts = [] }: Instruction): Promise<Map<Address, bigint>> {
    const balances = new Map<Address, bigint>();
    for (const { address } of accounts) balances.set(address, await this.#relay.lamports(address));
    return balances;
  }
}
