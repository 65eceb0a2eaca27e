import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import type { Delivery } from '../delivery.js';
import type { LegWithTurn } from '../escrow.js';
import { acceptedCouriers, confirmationOf, rulingOf } from '../legsWithTerms.js';
import type { Ruling } from '../moves.js';
import type { Relay } from '../relay.js';
import { signedBy } from '../tamper.js';
import type { Attempt, Signer } from './attempts.js';

/** Couriers of one leg, so that a replacement is somebody else; those of neighbours never meet. */
const COURIERS_OF_LEG = 3;
const MAX_LEGS = 4;

/** A courier of a leg, with the number by which the leg knows it. */
export interface Seat {
  readonly courier: KeyPairSigner;
  readonly formation: number;
}

/** The people of one package with terms, and what each of them sends. */
export class Cast {
  readonly seats: Seat[] = [];
  readonly #relay: Relay;
  readonly #delivery: Delivery;
  readonly #people: ReadonlyMap<Signer, KeyPairSigner>;
  readonly #payment: bigint;
  #formations = 1;

  private constructor(relay: Relay, delivery: Delivery, people: ReadonlyMap<Signer, KeyPairSigner>, payment: bigint) {
    this.#relay = relay;
    this.#delivery = delivery;
    this.#people = people;
    this.#payment = payment;
  }

  /** Everybody of a package whose legs are paid so much each. */
  static async of(relay: Relay, delivery: Delivery, legs: number, payment: bigint): Promise<Cast> {
    const people = new Map<Signer, KeyPairSigner>([
      ['lister', delivery.shipper],
      ['funder', delivery.funder],
      ['coordinator', relay.coordinator],
    ]);
    for (const name of ['receiver', 'arbiter', 'stranger'] as const) people.set(name, await relay.person(name));
    const cast = new Cast(relay, delivery, people, payment);
    for (let leg = 0; leg < legs; leg += 1) cast.seats.push({ courier: await relay.courier(leg), formation: 1 });
    return cast;
  }

  /** Wallets that gain by moves alone: the coordinator also advances rent and gets it back. */
  get wallets(): Address[] {
    const people = [...this.#people].filter(([signer]) => signer !== 'coordinator').map(([, person]) => person);
    return [...people, ...this.seats.map(({ courier }) => courier)].map(({ address }) => address);
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

  /** Who would have the leg next, with the number that the next assignment gives. */
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
  }

  /** @param takesOver - whether the next courier's signature says that it has the parcel now */
  async instruction(attempt: Attempt, takesOver: boolean): Promise<Instruction> {
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
        return this.#confirmation(index, signer, takesOver && attempt.signer === 'next courier');
      case 'rule':
        return this.#ruling(index, { signer, percent });
      case 'agree':
        return this.#ruling(index, { form: 'agreed', signer, percent });
      case 'default':
        return this.#ruling(index, { form: 'default', signer, percent: 50 });
      case 'assign':
        return this.#assignment(index, signer);
      case 'reclaim':
        return this.#relay.reclaim(this.#delivery, this.seats.length, signer, acceptedCouriers(await this.#legs()));
      case 'settle':
        return this.#relay.settle(this.#delivery, this.seats.length, signer);
    }
    throw new Error('There is no such instruction');
  }

  #legs(): Promise<LegWithTurn[]> {
    return Promise.all(this.seats.map((_, index) => this.#relay.moves.leg(this.#delivery, index)));
  }

  async #confirmation(index: number, recipient: KeyPairSigner, takesOver: boolean): Promise<Instruction> {
    const [leg, next] = (await this.#legs()).slice(index);
    if (!leg) throw new Error(`There is no leg ${index}`);
    return confirmationOf(this.#relay, this.#delivery, { leg, next }, { recipient, takesOver });
  }

  async #ruling(index: number, how: Ruling): Promise<Instruction> {
    const leg = await this.#relay.moves.leg(this.#delivery, index);
    return rulingOf(this.#relay, this.#delivery, leg, { ...how, courier: this.#seat(index).courier });
  }

  async #assignment(index: number, signer: KeyPairSigner): Promise<Instruction> {
    const { courier } = await this.#replacement(index);
    const offer = { paymentLamports: this.#payment, legs: this.seats.length };
    const { moves } = this.#relay;
    return signedBy(await moves.replace(this.#delivery, index, courier.address, offer), 0, signer);
  }
}
