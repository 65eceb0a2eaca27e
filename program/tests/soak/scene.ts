import type { Instruction, KeyPairSigner } from '@solana/kit';
import { SOL, type Delivery } from '../harness/delivery.js';
import type { Relay } from '../harness/relay.js';
import { terms } from '../harness/terms.js';
import { secondOf } from './clock.js';
import { AHEAD, CLOCK, Stage } from './stage.js';

/** The payment of every leg. */
export const PAYMENT = SOL / 5n + 1n;

/** One package. */
export class Scene extends Stage {
  readonly delivery: Delivery;
  readonly lister: KeyPairSigner;
  readonly couriers: readonly KeyPairSigner[];

  private constructor(relay: Relay, name: string, delivery: Delivery, people: KeyPairSigner[], before: bigint[]) {
    super(relay, name, people, before);
    this.delivery = delivery;
    this.lister = delivery.shipper;
    this.couriers = people.slice(1);
  }

  /** Wallets with money, for a package that is not yet listed. */
  static async cast(relay: Relay, name: string, legs: number, number: number): Promise<Scene> {
    const couriers = Array.from({ length: legs }, (_, index) => `${name} courier ${index}`);
    const [people, before] = await Stage.wallets(relay, [`${name} lister`, ...couriers]);
    const lister = await relay.person(`${name} lister`);
    const delivery = await relay.delivery(number, { shipper: lister, funder: lister });
    return new Scene(relay, name, delivery, people, before);
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

  /** A leg that nobody disputed, or that is ruled, is confirmed by `recipient`. */
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
  async expectGains(...gains: readonly bigint[]): Promise<void> {
    const { delivery, relay } = this;
    await this.send(relay.close(delivery));
    const legs = await Promise.all(this.couriers.map((_, index) => relay.leg(delivery, index)));
    await this.expectEnd(delivery.package, [delivery.vault, delivery.swarm, ...legs], gains);
  }
}
