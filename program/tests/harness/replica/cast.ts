import { LegStatus } from '@legwork/program-client';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import type { Delivery } from '../delivery.js';
import { isTask, listerOf, type Escrow, type LegWithTurn } from '../escrow.js';
import { firstLegs, type Job } from '../job.js';
import { acceptedCouriers, confirmationOf, rulingOf } from '../legsWithTerms.js';
import { fundedBy } from '../instructions.js';
import type { Ruling } from '../moves.js';
import type { Relay } from '../relay.js';
import { signedBy } from '../tamper.js';
import { EVIDENCE_HASH } from '../terms.js';
import type { Attempt, Signer } from './attempts.js';

/** Couriers of one leg, so that a replacement is somebody else; those of neighbours never meet. */
const COURIERS_OF_LEG = 3;
const MAX_LEGS = 4;

/** A courier of a leg, with the number by which the leg knows it. */
export interface Seat {
  readonly courier: KeyPairSigner;
  readonly formation: number;
}

/** The people of one package or task with terms, and what each of them sends. */
export class Cast {
  readonly seats: Seat[] = [];
  readonly #relay: Relay;
  readonly #escrow: Escrow;
  readonly #people: ReadonlyMap<Signer, KeyPairSigner>;
  readonly #payment: bigint;
  #formations = 1;
  #assigned: number;

  private constructor(relay: Relay, escrow: Escrow, people: ReadonlyMap<Signer, KeyPairSigner>, payment: bigint) {
    this.#relay = relay;
    this.#escrow = escrow;
    this.#people = people;
    this.#payment = payment;
    this.#assigned = isTask(escrow) ? 1 : MAX_LEGS;
  }

  /** Everybody of a package or task whose legs are paid so much each. */
  static async of(relay: Relay, escrow: Escrow, legs: number, payment: bigint): Promise<Cast> {
    const people = new Map<Signer, KeyPairSigner>([
      ['lister', listerOf(escrow)],
      ['funder', escrow.funder],
      ['coordinator', relay.coordinator],
    ]);
    for (const name of ['receiver', 'arbiter', 'stranger'] as const) people.set(name, await relay.person(name));
    const cast = new Cast(relay, escrow, people, payment);
    for (let leg = 0; leg < legs; leg += 1) cast.seats.push({ courier: await relay.courier(leg), formation: 1 });
    return cast;
  }

  /** Wallets that gain by moves alone: the coordinator also advances rent and gets it back. */
  get wallets(): Address[] {
    const people = [...this.#people].filter(([signer]) => signer !== 'coordinator').map(([, person]) => person);
    const addresses = [...people, ...this.seats.map(({ courier }) => courier)].map(({ address }) => address);
    return [...addresses, fundedBy(this.#escrow)];
  }

  wallet(signer: Signer): Address {
    const person = this.#people.get(signer);
    if (!person) throw new Error(`There is no ${signer}`);
    return person.address;
  }

  #seat(leg: number): Seat {
    const seat = this.seats[leg];
    if (!seat) throw new Error(`Nobody has leg ${leg}`);
    return seat;
  }

  /** The courier that would have the leg next, with the number that the next assignment gives. */
  async #replacement(leg: number): Promise<Seat> {
    const number = (this.#formations % COURIERS_OF_LEG) * MAX_LEGS + leg;
    return { courier: await this.#relay.courier(number), formation: this.#formations + 1 };
  }

  #signer({ signer, leg }: Attempt): KeyPairSigner {
    const { courier } = this.#seat(leg);
    if (signer === 'courier') return courier;
    // A final leg has no next courier.
    const next = signer === 'next courier' ? this.seats[leg + 1]?.courier : this.#people.get(signer);
    return next ?? this.#people.get('stranger') ?? courier;
  }

  /** The leg has the courier who would be next. */
  async replace(leg: number): Promise<void> {
    this.seats[leg] = await this.#replacement(leg);
    this.#formations += 1;
    this.#assigned = Math.max(this.#assigned, leg + 1);
  }

  /** Reports whether the leg has, or had, somebody: legs of a task are given away one after the other. */
  hasLeg(index: number): boolean {
    return index < this.#assigned;
  }

  /** @param takesOver - true if the next courier's signature says that it has the parcel now */
  async instructions(attempt: Attempt, takesOver: boolean): Promise<readonly Instruction[]> {
    const signer = this.#signer(attempt);
    const escrow = this.#escrow;
    if (attempt.verb === 'confirm') {
      const isTakeover = takesOver && attempt.signer === 'next courier';
      return [
        await (isTask(escrow)
          ? this.#result(escrow, attempt.leg, signer)
          : this.#handoff(escrow, attempt.leg, { recipient: signer, takesOver: isTakeover })),
      ];
    }
    if (attempt.verb === 'assign') {
      return isTask(escrow)
        ? this.#exchange(escrow, attempt.leg, signer)
        : [await this.#replace(escrow, attempt.leg, signer)];
    }
    if (attempt.verb === 'reclaim' || attempt.verb === 'settle') return [await this.#end(attempt.verb, signer)];
    return [await this.#move(attempt, signer)];
  }

  async #move({ verb, leg: index, percent }: Attempt, signer: KeyPairSigner): Promise<Instruction> {
    const { moves } = this.#relay;
    const of = { index, ...this.#seat(index) };
    switch (verb) {
      case 'accept':
      case 'take':
        return signedBy(await moves.accept(this.#escrow, { ...of, take: verb === 'take' }), 0, signer);
      case 'vacate':
        return moves.vacate(this.#escrow, { ...of, signer });
      case 'claim':
        return signedBy(await moves.claim(this.#escrow, of), 0, signer);
      case 'dispute':
        return moves.dispute(this.#escrow, { ...of, disputer: signer });
      case 'rule':
        return this.#ruling(index, { signer, percent });
      case 'agree':
        return this.#ruling(index, { form: 'agreed', signer, percent });
      case 'default':
        return this.#ruling(index, { form: 'default', signer, percent: 50 });
      case 'assign':
      case 'confirm':
      case 'reclaim':
      case 'settle':
        break;
    }
    throw new Error(`${verb} is no move`);
  }

  #legs(delivery: Delivery): Promise<LegWithTurn[]> {
    return Promise.all(this.seats.map((_, index) => this.#relay.moves.leg(delivery, index)));
  }

  async #handoff(
    delivery: Delivery,
    index: number,
    by: { readonly recipient: KeyPairSigner; readonly takesOver: boolean },
  ): Promise<Instruction> {
    const [leg, next] = (await this.#legs(delivery)).slice(index);
    if (!leg) throw new Error(`There is no leg ${index}`);
    return confirmationOf(this.#relay, delivery, { leg, next }, by);
  }

  #result(job: Job, index: number, signer: KeyPairSigner): Promise<Instruction> {
    return this.#relay.tasks.confirm(job, index, this.#seat(index).courier.address, EVIDENCE_HASH, signer);
  }

  async #ruling(index: number, how: Ruling): Promise<Instruction> {
    const { moves } = this.#relay;
    const seat = this.#seat(index);
    if (!this.hasLeg(index)) return moves.rule(this.#escrow, { index, ...seat, ...how });
    const leg = await moves.leg(this.#escrow, index);
    return rulingOf(this.#relay, this.#escrow, leg, { ...how, courier: seat.courier });
  }

  async #replace(delivery: Delivery, index: number, signer: KeyPairSigner): Promise<Instruction> {
    const { courier } = await this.#replacement(index);
    const offer = { paymentLamports: this.#payment, legs: this.seats.length };
    const { moves } = this.#relay;
    return signedBy(await moves.replace(delivery, index, courier.address, offer), 0, signer);
  }

  /** The leg is released, if somebody has had it, and assigned to another agent. */
  async #exchange(job: Job, index: number, signer: KeyPairSigner): Promise<readonly Instruction[]> {
    const { tasks } = this.#relay;
    const { courier } = await this.#replacement(index);
    const released = this.hasLeg(index) ? [await tasks.release(job, { index })] : [];
    const both = [...released, await tasks.assign(job, index, courier.address)];
    return both.map((instruction) => signedBy(instruction, 0, signer));
  }

  async #end(verb: 'reclaim' | 'settle', signer: KeyPairSigner): Promise<Instruction> {
    const escrow = this.#escrow;
    const { seats } = this;
    if (!isTask(escrow)) {
      if (verb === 'settle') return this.#relay.settle(escrow, seats.length, signer);
      return this.#relay.reclaim(escrow, seats.length, signer, acceptedCouriers(await this.#legs(escrow)));
    }
    const legs = firstLegs(this.#assigned);
    if (verb === 'settle') return this.#relay.tasks.settle(escrow, legs, signer);
    const last = await this.#relay.moves.leg(escrow, legs.length - 1);
    return this.#relay.tasks.reclaim(escrow, legs, signer, last.status === LegStatus.Accepted ? [last.agent] : []);
  }
}
