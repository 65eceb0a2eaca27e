import { decodeLeg, type Package } from '@legwork/program-client';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import {
  ENDED,
  Machine,
  STAKES_HELD,
  type Move,
  type MoveName,
  type State,
} from '../../../../packages/protocol/tests/termsModel/machine.js';
import { must, NOW, SOL, type Delivery } from '../delivery.js';
import { acceptedCouriers, confirmationOf, otherSideOf, rulingOf, type LegWithTurn } from '../legsWithTerms.js';
import type { Ruling } from '../moves.js';
import type { Relay } from '../relay.js';
import { signedBy } from '../tamper.js';
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
  type Signer,
} from './attempts.js';
import { gains } from './amounts.js';

/** Seconds of a tick of the model: the shortest window that terms may have. */
const TICK = 300n;
/** The least stake that terms may have, and one lamport, so that halves are rounded. */
const STAKE = 1_781_761n;
const BUDGET = SOL / 50n;
const PAYMENT = SOL / 250n;
const [RENT_OF_VAULT, RENT_OF_LEG] = [890_880n, 1_566_000n];
/** Couriers of one leg, so that a replacement is somebody else; those of neighbours never meet. */
const COURIERS_OF_LEG = 3;
const MAX_LEGS = 4;
/** Moves that bring a funder out whom nobody helps. */
const EXITS = ['settle', 'reclaim', 'crank', 'default', 'pay ruling'];

const RULINGS: readonly MoveName[] = ['rule', 'rule 0', 'agree', 'agree 0'];

export interface Replayed {
  readonly attempts: number;
  readonly accepted: number;
  /** How often each move was made. */
  readonly moves: ReadonlyMap<string, number>;
}

/** A courier of a leg, with the number by which the leg knows it. */
interface Seat {
  readonly courier: KeyPairSigner;
  readonly formation: number;
}

/** A package with terms on the ledger, and the model's state of it beside. */
export class Replica {
  readonly #relay: Relay;
  readonly #machine: Machine;
  readonly #delivery: Delivery;
  readonly #people: ReadonlyMap<Signer, KeyPairSigner>;
  readonly #seats: Seat[] = [];
  /** How each leg was ruled. */
  readonly #percents: bigint[] = [];
  readonly #moves = new Map<string, number>();
  #state: State;
  #formations = 1;
  #forfeited = 0n;
  #isPaused = false;
  #attempts = 0;
  #accepted = 0;

  private constructor(relay: Relay, machine: Machine, delivery: Delivery, people: ReadonlyMap<Signer, KeyPairSigner>) {
    this.#relay = relay;
    this.#machine = machine;
    this.#delivery = delivery;
    this.#people = people;
    this.#state = machine.start();
  }

  /** A package of this number whose legs are all assigned. */
  static async create(relay: Relay, number: number, { legs, isPaused, ...windows }: Setting): Promise<Replica> {
    const delivery = await relay.delivery(number);
    const people = new Map<Signer, KeyPairSigner>([
      ['lister', delivery.shipper],
      ['funder', delivery.funder],
      ['coordinator', relay.coordinator],
    ]);
    for (const name of ['receiver', 'arbiter', 'stranger'] as const) people.set(name, await relay.person(name));
    const replica = new Replica(relay, new Machine(legs, false, windows), delivery, people);
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
    for (let leg = 0; leg < legs; leg += 1) {
      const courier = await this.#relay.courier(leg);
      must(await ledger.send(await this.#relay.assign(this.#delivery, leg, courier.address, PAYMENT)));
      this.#seats.push({ courier, formation: 1 });
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
    const instruction = await this.#instruction(attempt);
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
    const disputer = isDisputing ? this.#wallet(signer) : await this.#disputer(move);
    const parties = {
      couriers: this.#seats.map(({ courier }) => courier.address),
      disputer,
      arbiter: this.#wallet('arbiter'),
      funder: this.#wallet('funder'),
    };
    const vault = await this.#relay.lamports(this.#delivery.vault);
    const amounts = { stake: STAKE, payment: PAYMENT, vault, percent: this.#percents[move.leg] ?? 0n };
    return gains(this.#state, move, parties, amounts);
  }

  async #disputer({ leg, next }: Move): Promise<Address> {
    if (next.current === ENDED) return this.#wallet('lister');
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
    // The coordinator advances rent and gets it back.
    const isCoordinator = (address: Address) => address === this.#relay.coordinator.address;
    const wallets = [...this.#people.values(), ...this.#seats.map(({ courier }) => courier)];
    const wrong = [...wallets.map(({ address }) => address), INCINERATOR].find((address) => {
      return !isCoordinator(address) && gained(address) !== (due.get(address) ?? 0n);
    });
    return wrong === undefined ? undefined : `${wrong} gained ${gained(wrong)}, not ${due.get(wrong) ?? 0n}`;
  }

  async #follow(move: Move, told: string): Promise<void> {
    this.#accepted += 1;
    this.#moves.set(move.name, (this.#moves.get(move.name) ?? 0) + 1);
    if (move.name === 'assign') this.#seats[move.leg] = await this.#replacement(move.leg);
    if (move.name === 'assign') this.#formations += 1;
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
      const leg = decodeLeg(await this.#relay.encoded(address)).data;
      if (leg.status !== status) return `Leg ${index} has status ${leg.status}, not ${status}`;
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

  #wallet(signer: Signer): Address {
    const person = this.#people.get(signer);
    if (!person) throw new Error(`There is no ${signer}`);
    return person.address;
  }

  #seat(leg: number): Seat {
    const seat = this.#seats[leg];
    if (!seat) throw new Error(`Nobody has leg ${leg}`);
    return seat;
  }

  /** Who would have the leg next, with the number that the next assignment gives. */
  async #replacement(leg: number): Promise<Seat> {
    const number = (this.#formations % COURIERS_OF_LEG) * MAX_LEGS + leg;
    return { courier: await this.#relay.courier(number), formation: this.#formations + 1 };
  }

  #signer({ signer, leg }: Attempt): KeyPairSigner {
    const { courier } = this.#seat(leg);
    if (signer === 'courier') return courier;
    // A final leg has no next courier.
    const next = signer === 'next courier' ? this.#seats[leg + 1]?.courier : this.#people.get(signer);
    return next ?? this.#people.get('stranger') ?? courier;
  }

  async #instruction(attempt: Attempt): Promise<Instruction> {
    const { verb, leg: index, percent } = attempt;
    const { moves } = this.#relay;
    const seat = this.#seat(index);
    const signer = this.#signer(attempt);
    const of = { index, ...seat };
    switch (verb) {
      case 'accept':
      case 'take':
        return signedBy(await moves.accept(this.#delivery, { ...of, take: verb === 'take' }), 0, signer);
      case 'vacate':
        return moves.vacate(this.#delivery, { ...of, signer });
      case 'claim':
        return signedBy(await moves.claim(this.#delivery, of), 0, signer);
      case 'dispute':
        return moves.dispute(this.#delivery, { ...of, disputer: signer });
      case 'confirm':
        return this.#confirmation(index, attempt.signer, signer);
      case 'rule':
        return this.#ruling(index, { signer, percent });
      case 'agree':
        return this.#ruling(index, { form: 'agreed', signer, percent });
      case 'default':
        return this.#ruling(index, { form: 'default', signer, percent: 50 });
      case 'assign':
        return this.#assignment(index, signer);
      case 'reclaim':
        return this.#relay.reclaim(this.#delivery, this.#seats.length, signer, acceptedCouriers(await this.#legs()));
      case 'settle':
        return this.#relay.settle(this.#delivery, this.#seats.length, signer);
    }
  }

  #legs(): Promise<LegWithTurn[]> {
    return Promise.all(this.#seats.map((_, index) => this.#relay.moves.leg(this.#delivery, index)));
  }

  async #confirmation(index: number, signer: Signer, recipient: KeyPairSigner): Promise<Instruction> {
    const [leg, next] = (await this.#legs()).slice(index);
    if (!leg) throw new Error(`There is no leg ${index}`);
    const takesOver = signer === 'next courier' && isTakeover(this.#machine, this.#state);
    return confirmationOf(this.#relay, this.#delivery, { leg, next }, { recipient, takesOver });
  }

  async #ruling(index: number, how: Ruling): Promise<Instruction> {
    const leg = await this.#relay.moves.leg(this.#delivery, index);
    return rulingOf(this.#relay, this.#delivery, leg, { ...how, courier: this.#seat(index).courier });
  }

  async #assignment(index: number, signer: KeyPairSigner): Promise<Instruction> {
    const { courier } = await this.#replacement(index);
    const offer = { paymentLamports: PAYMENT, legs: this.#seats.length };
    const { moves } = this.#relay;
    return signedBy(await moves.replace(this.#delivery, index, courier.address, offer), 0, signer);
  }
}
