import type { Address, Instruction } from '@solana/kit';
import {
  ENDED,
  legAt,
  Machine,
  STAKES_HELD,
  type Move,
  type MoveName,
  type State,
} from '../../../../packages/protocol/tests/termsModel/machine.js';
import { must, NOW, SOL, type Delivery } from '../delivery.js';
import { isTask, type Escrow } from '../escrow.js';
import type { Job } from '../job.js';
import { otherSideOf } from '../legsWithTerms.js';
import { countsOf } from '../../../../packages/protocol/tests/termsModel/counting.js';
import { fundedBy } from '../instructions.js';
import { boundless } from '../mandates.js';
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
const [RENT_OF_VAULT, RENT_OF_LEG, RENT_OF_TASK_LEG] = [890_880n, 1_566_000n, 2_011_440n];
/** Moves that bring a funder out whom nobody helps. */
const EXITS = ['settle', 'reclaim', 'crank', 'default', 'pay ruling'];

const RULINGS: readonly MoveName[] = ['rule', 'rule 0', 'agree', 'agree 0'];

export interface Replayed {
  readonly attempts: number;
  readonly accepted: number;
  /** How often each move was made. */
  readonly moves: ReadonlyMap<string, number>;
}

interface Paid {
  readonly cast: Cast;
  /** Of a leg. */
  readonly payment: bigint;
}

/** The counts of a reputation. */
type Career = readonly [accepted: bigint, completed: bigint];

/** A package or task with terms on the ledger, and the model's state of it beside. */
export class Replica {
  readonly #relay: Relay;
  readonly #machine: Machine;
  readonly #escrow: Escrow;
  readonly #cast: Cast;
  readonly #payment: bigint;
  /** How each leg was ruled. */
  readonly #percents: bigint[] = [];
  readonly #moves = new Map<string, number>();
  #state: State;
  #forfeited = 0n;
  #isPaused = false;
  #attempts = 0;
  #accepted = 0;

  private constructor(relay: Relay, machine: Machine, escrow: Escrow, { cast, payment }: Paid) {
    this.#relay = relay;
    this.#machine = machine;
    this.#escrow = escrow;
    this.#cast = cast;
    this.#payment = payment;
    this.#state = machine.start();
  }

  /** A package of this number whose legs are all assigned, or a task whose first leg is. */
  static async create(relay: Relay, number: number, setting: Setting): Promise<Replica> {
    const { legs, isPaused, isTask: ofTask, ...windows } = setting;
    const machine = new Machine(legs, ofTask, windows);
    // Mandates pay for every second one: their owner is in the funder's place.
    const [forPackages, forTasks] = number % 2 === 1 ? await boundless(relay) : [];
    const escrow = ofTask
      ? { ...(await relay.tasks.job(number)), ...forTasks }
      : { ...(await relay.delivery(number)), ...forPackages };
    const payment = ofTask ? BUDGET / BigInt(legs) : PAYMENT;
    const cast = await Cast.of(relay, escrow, legs, payment);
    const replica = new Replica(relay, machine, escrow, { cast, payment });
    await replica.#setClock();
    await (isTask(escrow) ? replica.#beginTask(escrow) : replica.#beginPackage(escrow));
    if (isPaused) await replica.#pause(true);
    return replica;
  }

  async #beginPackage(delivery: Delivery): Promise<void> {
    const { ledger } = this.#relay;
    const { legs } = this.#machine.settings;
    must(await ledger.send(this.#relay.list(delivery, await this.#listing())));
    must(await ledger.send(this.#relay.form(delivery, legs, PAYMENT * BigInt(legs))));
    for (const [leg, { courier }] of this.#cast.seats.entries()) {
      must(await ledger.send(await this.#relay.assign(delivery, leg, courier.address, PAYMENT)));
    }
  }

  /** A task that nobody works on is cancelled, not reclaimed: its first leg is given away before the play. */
  async #beginTask(job: Job): Promise<void> {
    const { tasks } = this.#relay;
    const listing = { numLegs: this.#machine.settings.legs, ...(await this.#listing()) };
    must(await this.#relay.ledger.send(tasks.list(job, listing)));
    await tasks.inProgress([0], job);
    const assigned = this.#machine.moves(this.#state).find(({ name }) => name === 'assign');
    if (assigned) this.#state = assigned.next;
  }

  async #listing() {
    const deadline = NOW + BigInt(this.#machine.settings.deadline) * TICK;
    return { maxBudget: BUDGET, deadline, terms: await this.#terms() };
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

  get place(): { readonly machine: Machine; readonly state: State } {
    return { machine: this.#machine, state: this.#state };
  }

  /** Makes a legal move, by the holder of its role. */
  async make(move: Move): Promise<void> {
    await this.#try(attemptOf(move));
  }

  async #happen(chance: Chance): Promise<void> {
    if (this.#state.current === ENDED) return;
    if (chance.kind === 'tick') {
      await this.tick();
      return;
    }
    const { legs } = this.#machine.settings;
    const attempt =
      chance.kind === 'any' ? anyAttempt(this.#state, legs, chance) : legalAttempt(this.#machine, this.#state, chance);
    if (attempt) await this.#try(attempt);
  }

  async tick(): Promise<void> {
    this.#state = this.#machine.tick(this.#state);
    await this.#setClock();
  }

  /** The funder waits, and makes what moves it can. Rule T-45. */
  async #leave(): Promise<void> {
    while (this.#state.current !== ENDED) {
      if (this.#state.tick > this.#machine.latestEnd) throw new Error('The funder is not out in time');
      const exit = this.#machine.moves(this.#state).find(({ name }) => EXITS.includes(name));
      if (exit) await this.#try(attemptOf(exit));
      else await this.tick();
    }
  }

  async #try(attempt: Attempt): Promise<void> {
    // Of all moves of legs only the service's own stands still.
    const isHeld = this.#isPaused && attempt.verb === 'assign';
    const move = isHeld ? undefined : expected(this.#machine, this.#state, attempt);
    const instructions = await this.#cast.instructions(attempt, isTakeover(this.#machine, this.#state));
    const due = move ? await this.#gains(move, attempt) : new Map<Address, bigint>();
    const before = await this.#balances(instructions);
    const careers = await this.#careers();
    const { error } = await this.#relay.ledger.send(...instructions);
    this.#attempts += 1;
    const told = `${JSON.stringify(attempt)} in ${JSON.stringify(this.#state)}, ${JSON.stringify(this.#machine.settings)}`;
    if ((error === undefined) !== (move !== undefined)) {
      throw new Error(`The model says ${move?.name ?? 'refused'}, the program ${error ?? 'accepted'}: ${told}`);
    }
    const wrong = this.#wrongGain(due, before, await this.#balances(instructions));
    if (wrong !== undefined) throw new Error(`${wrong}: ${told}`);
    const miscounted = this.#miscounted(careers, await this.#careers(), move);
    if (miscounted !== undefined) throw new Error(`${miscounted}: ${told}`);
    if (move) await this.#follow(move, told);
  }

  /** The gains of wallets by a move, or by a refusal. */
  async #gains(move: Move, { percent, signer }: Attempt): Promise<Map<Address, bigint>> {
    if (RULINGS.includes(move.name)) this.#percents[move.leg] = BigInt(percent);
    if (move.name === 'default') this.#percents[move.leg] = 50n;
    const isDisputing = move.name === 'dispute';
    const disputer = isDisputing ? this.#cast.wallet(signer) : await this.#disputer(move);
    const parties = {
      couriers: this.#cast.seats.map(({ courier }) => courier.address),
      disputer,
      arbiter: this.#cast.wallet('arbiter'),
      funder: fundedBy(this.#escrow),
    };
    const vault = await this.#relay.lamports(this.#escrow.vault);
    const amounts = { stake: STAKE, payment: this.#payment, vault, percent: this.#percents[move.leg] ?? 0n };
    return gains(this.#state, move, parties, amounts);
  }

  async #disputer({ name, leg, next }: Move): Promise<Address> {
    if (next.current === ENDED || name === 'assign') return this.#cast.wallet('lister');
    return otherSideOf(this.#relay, this.#escrow, await this.#relay.moves.leg(this.#escrow, leg));
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

  /** The counts in the reputations of those who have a leg, leg by leg; a courier that was given none yet has none. */
  async #careers(): Promise<readonly Career[]> {
    const careers = this.#cast.seats.map(async ({ courier: { address } }) => {
      if ((await this.#relay.ledger.account(await this.#relay.reputationOf(address))) === undefined)
        return [0n, 0n] as const;
      const { legsAccepted, legsCompleted } = await this.#relay.reputation(address);
      return [legsAccepted, legsCompleted] as const;
    });
    return Promise.all(careers);
  }

  #miscounted(before: readonly Career[], after: readonly Career[], move: Move | undefined): string | undefined {
    const counts = move ? countsOf(this.#machine.settings.isTask, this.#state, move) : [];
    for (const [leg, [accepted, completed]] of after.entries()) {
      const [acceptedBefore, completedBefore] = before[leg] ?? [0n, 0n];
      const due = counts.find((count) => count.leg === leg) ?? { accepted: 0, completed: 0 };
      const seen = `${accepted - acceptedBefore} accepted, ${completed - completedBefore} completed`;
      if (seen !== `${due.accepted} accepted, ${due.completed} completed`) return `Courier ${leg} counts ${seen}`;
    }
    return undefined;
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

  /** The ledger's difference from the model. */
  async #difference(): Promise<string | undefined> {
    for (const index of this.#state.legs.keys()) {
      const difference = await this.#differenceOfLeg(index);
      if (difference !== undefined) return difference;
    }
    const isOver = this.#state.current === ENDED;
    const { paid, completed, pool } = await this.#escrowed(isOver);
    const vault = await this.#relay.lamports(this.#escrow.vault);
    const owed = isOver ? 0n : RENT_OF_VAULT + BUDGET - paid + this.#forfeited;
    if (vault !== owed) return `The vault has ${vault} lamports, not ${owed}`;
    if (isOver) return undefined;
    if (completed !== this.#state.current) return `${completed} legs are completed`;
    return vault - RENT_OF_VAULT < pool ? `The vault does not cover the ${pool} lamports of the pool` : undefined;
  }

  async #differenceOfLeg(index: number): Promise<string | undefined> {
    const { status } = legAt(this.#state, index);
    const lamports = await this.#relay.lamports(await this.#relay.hop(this.#escrow, index));
    const rent = isTask(this.#escrow) ? RENT_OF_TASK_LEG : RENT_OF_LEG;
    const isThere = this.#state.current !== ENDED && this.#cast.hasLeg(index);
    const held = isThere ? rent + BigInt(STAKES_HELD[status] ?? 0) * STAKE : 0n;
    if (lamports !== held) return `Leg ${index} has ${lamports} lamports, not ${held}`;
    if (!isThere) return undefined;
    const { status: shown }: { readonly status: number } = await this.#relay.moves.leg(this.#escrow, index);
    return shown === status ? undefined : `Leg ${index} has status ${shown}, not ${status}`;
  }

  /** The figures in the accounts of the escrow; a task owes nothing of its vault to a pool. */
  async #escrowed(isOver: boolean): Promise<{ paid: bigint; completed: number; pool: bigint }> {
    if (isTask(this.#escrow)) {
      const { paid, completedLegs } = await this.#relay.tasks.state(this.#escrow);
      return { paid, completed: completedLegs, pool: 0n };
    }
    const { paid } = await this.#relay.package(this.#escrow);
    if (isOver) return { paid, completed: 0, pool: 0n };
    const { completedLegs, totalLamports, paidLamports } = await this.#relay.swarm(this.#escrow);
    return { paid, completed: completedLegs, pool: totalLamports - paidLamports };
  }

  /** Lamports of what the instructions name: the runtime lets them touch nothing else. */
  async #balances(instructions: readonly Instruction[]): Promise<Map<Address, bigint>> {
    const balances = new Map<Address, bigint>();
    const accounts = instructions.flatMap(({ accounts: named = [] }) => named);
    for (const { address } of accounts) balances.set(address, await this.#relay.lamports(address));
    return balances;
  }
}
