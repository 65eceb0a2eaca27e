import {
  decodeLeg,
  decodeTaskLeg,
  LegStatus,
  getAcceptInstruction,
  getAssignLegInstruction,
  getClaimInstruction,
  getDisputeInstruction,
  getRuleInstruction,
  getVacateInstruction,
  type TermsArgs,
} from '@legwork/program-client';
import { unwrapOption, type Address, type Instruction, type KeyPairSigner } from '@solana/kit';
import { must, SOL, type Delivery, type Listing } from './delivery.js';
import { isTask, listerOf, listingOf, type Escrow, type LegWithTurn, type TaskLegWithTurn } from './escrow.js';
import type { Job } from './job.js';
import { keyOf } from './keys.js';
import type { Relay } from './relay.js';
import { EVIDENCE_HASH, INCINERATOR, REASON_HASH, terms } from './terms.js';

/** Which leg a move is of, whose courier has its index unless another one is named; `formation` is the number signed for. */
export interface Move {
  readonly index?: number;
  readonly courier?: KeyPairSigner;
  readonly formation?: number;
}

/** How a leg is ruled, the ruler, and the other side of its courier. */
export interface Ruling {
  readonly percent: number;
  readonly form?: 'ruled' | 'default' | 'agreed';
  readonly signer?: KeyPairSigner;
  readonly other?: Address;
}

/** Three payments of a budget of one SOL. */
export const PAYMENTS: readonly bigint[] = [SOL / 5n, SOL / 5n, SOL / 5n];

/** The moves of legs with terms as those sign them whose role it is, and such legs in every status. */
export class Moves {
  readonly #relay: Relay;

  constructor(relay: Relay) {
    this.#relay = relay;
  }

  get #to(): { programAddress: Address } {
    return { programAddress: this.#relay.programAddress };
  }

  /** Posts the stake, picks the parcel up if `take`, with the lister's signature if `lister` is a signer. */
  async accept(
    escrow: Escrow,
    move: Move & { readonly take?: boolean; readonly lister?: Address | KeyPairSigner } = {},
  ): Promise<Instruction> {
    const { take = false, lister = listerOf(escrow).address } = move;
    const accounts = await this.#accounts(escrow, move);
    const counted = take ? await this.#counting(accounts.courier) : [];
    return getAcceptInstruction({ ...accounts, lister, take, counted }, this.#to);
  }

  /** By the leg's courier, or by `signer`; the leg before is shown where there is one. */
  async vacate(escrow: Escrow, move: Move & { readonly signer?: KeyPairSigner } = {}): Promise<Instruction> {
    const { index = 0 } = move;
    const { courier, ...accounts } = await this.#accounts(escrow, move);
    const before = index === 0 || isTask(escrow) ? {} : { previousLeg: await this.#relay.leg(escrow, index - 1) };
    const { signer = courier } = move;
    const others = { signer, courier: courier.address, vault: escrow.vault, ...before };
    const counted = signer === courier ? [] : await this.#counting(courier);
    return getVacateInstruction({ ...accounts, ...others, counted }, this.#to);
  }

  async claim(escrow: Escrow, move: Move & { readonly evidenceHash?: Uint8Array } = {}): Promise<Instruction> {
    const { evidenceHash = EVIDENCE_HASH } = move;
    const accounts = await this.#accounts(escrow, move);
    const counted = isTask(escrow) ? await this.#counting(accounts.courier) : [];
    return getClaimInstruction({ ...accounts, evidenceHash, counted }, this.#to);
  }

  /** By the lister unless `disputer` is named. */
  async dispute(escrow: Escrow, move: Move & { readonly disputer?: KeyPairSigner } = {}): Promise<Instruction> {
    const { courier: _, ...accounts } = await this.#accounts(escrow, move);
    const { disputer = listerOf(escrow) } = move;
    return getDisputeInstruction({ ...accounts, disputer, reasonHash: REASON_HASH }, this.#to);
  }

  /** By the arbiter; by anybody as its silence means, or by lister and courier as they agree. */
  async rule(escrow: Escrow, ruling: Move & Ruling): Promise<Instruction> {
    const lister = listerOf(escrow);
    const { form = 'ruled', percent, other = lister.address } = ruling;
    const { courier, ...accounts } = await this.#accounts(escrow, ruling);
    const { config } = this.#relay;
    const [arbiter, stranger] = [await keyOf('arbiter'), await this.#relay.person('stranger')];
    const signer = { ruled: arbiter, default: stranger, agreed: lister }[form];
    const fee = form === 'default' ? INCINERATOR : arbiter.address;
    const worker = form === 'agreed' ? courier : courier.address;
    const others = { signer: ruling.signer ?? signer, worker, other, config, fee, vault: escrow.vault };
    return getRuleInstruction({ ...accounts, ...others, percent }, this.#to);
  }

  /** Another courier for a vacant leg among three, or among `legs`. */
  async replace(
    delivery: Delivery,
    index: number,
    courier: Address,
    { paymentLamports = SOL / 5n, legs = PAYMENTS.length }: { paymentLamports?: bigint; legs?: number } = {},
  ): Promise<Instruction> {
    const { coordinator, config, programAddress } = this.#relay;
    const { package: address, swarm } = delivery;
    const leg = await this.#relay.leg(delivery, index);
    const reputation = await this.#relay.reputationOf(courier);
    const neighbours = [
      index === 0 ? programAddress : await this.#relay.leg(delivery, index - 1),
      index === legs - 1 ? programAddress : await this.#relay.leg(delivery, index + 1),
    ];
    const accounts = { coordinator, config, package: address, swarm, leg, courier, reputation };
    const countedLater = await this.#relay.countedLater(address);
    return getAssignLegInstruction({ ...accounts, index, paymentLamports, neighbours, countedLater }, this.#to);
  }

  /** The next courier takes over, or the shipper receives the last leg: both sign the larger of the legs' numbers. */
  async handoff(delivery: Delivery, index = 0, legs = PAYMENTS.length): Promise<Instruction> {
    const { courier, turn } = await this.leg(delivery, index);
    if (index === legs - 1) {
      return this.#relay.confirm(delivery, {
        index,
        courier,
        recipient: delivery.shipper,
        formation: turn.formation,
      });
    }
    const next = await this.leg(delivery, index + 1);
    const formation = Math.max(turn.formation, next.turn.formation);
    const recipient = await this.#relay.known(next.courier);
    const counted = recipient.address;
    return this.#relay.confirm(delivery, { index, courier, recipient, next: index + 1, formation, counted });
  }

  /** Anybody ends a leg whose review is over, or that was ruled. */
  async crank(delivery: Delivery, index = 0, legs = PAYMENTS.length): Promise<Instruction> {
    const { courier, turn } = await this.leg(delivery, index);
    const recipient = await this.#relay.person('stranger');
    const next = index === legs - 1 ? {} : { next: index + 1 };
    return this.#relay.confirm(delivery, { index, courier, recipient, formation: turn.formation, ...next });
  }

  /** Accepted legs' couriers trail, as the ledger has them. */
  async reclaim(delivery: Delivery, signer = delivery.funder, legs = PAYMENTS.length): Promise<Instruction> {
    const couriers: Address[] = [];
    for (let index = 0; index < legs; index += 1) {
      const { status, courier } = await this.leg(delivery, index);
      if (status === LegStatus.Accepted) couriers.push(courier);
    }
    return this.#relay.reclaim(delivery, legs, signer, couriers);
  }

  /** The reputation that counts a leg from now on. */
  async #counting({ address }: KeyPairSigner): Promise<Address[]> {
    return [await this.#relay.reputationOf(address)];
  }

  async #accounts(escrow: Escrow, { index = 0, formation = 1, courier }: Move) {
    const swarm = isTask(escrow) ? {} : { swarm: escrow.swarm };
    const leg = await this.#relay.hop(escrow, index);
    const worker = courier ?? (await this.#relay.courier(index));
    return { listing: listingOf(escrow), ...swarm, leg, formation, courier: worker };
  }

  /** A listed package with terms. */
  async listed(number = 1, changes: Partial<TermsArgs> = {}, listing: Listing = {}): Promise<Delivery> {
    return this.#relay.listed(number, { terms: await terms(changes), ...listing });
  }

  /** A package with terms on its way: all of its legs are pending. */
  async pending(delivery?: Delivery, payments = PAYMENTS): Promise<Delivery> {
    return this.#relay.inTransit(payments, delivery ?? (await this.listed()));
  }

  /** Legs of these indexes are accepted. */
  async accepted(indexes: readonly number[] = [0], delivery?: Delivery): Promise<Delivery> {
    const accepted = delivery ?? (await this.pending());
    for (const index of indexes) await this.#send(await this.accept(accepted, { index }));
    return accepted;
  }

  /** The first leg is carried, the others are pending. */
  async carried(delivery?: Delivery): Promise<Delivery> {
    const carried = delivery ?? (await this.pending());
    await this.#send(await this.accept(carried, { take: true }));
    return carried;
  }

  /** The first leg is claimed, the others are pending. */
  async claimed(delivery?: Delivery): Promise<Delivery> {
    const claimed = await this.carried(delivery);
    await this.#send(await this.claim(claimed));
    return claimed;
  }

  /** The first leg is disputed by the shipper, the others are pending. */
  async disputed(delivery?: Delivery): Promise<Delivery> {
    const disputed = await this.claimed(delivery);
    await this.#send(await this.dispute(disputed));
    return disputed;
  }

  /** The first leg is vacant, the others are pending. */
  async vacant(delivery?: Delivery): Promise<Delivery> {
    const vacant = delivery ?? (await this.pending());
    await this.#send(await this.vacate(vacant));
    return vacant;
  }

  async #send(instruction: Instruction): Promise<void> {
    must(await this.#relay.ledger.send(instruction));
  }

  /** A leg with its turn. */
  async leg(delivery: Delivery, index?: number): Promise<LegWithTurn>;
  async leg(job: Job, index?: number): Promise<TaskLegWithTurn>;
  async leg(escrow: Escrow, index?: number): Promise<LegWithTurn | TaskLegWithTurn>;
  async leg(escrow: Escrow, index = 0): Promise<LegWithTurn | TaskLegWithTurn> {
    const encoded = await this.#relay.encoded(await this.#relay.hop(escrow, index));
    const { data } = isTask(escrow) ? decodeTaskLeg(encoded) : decodeLeg(encoded);
    const turn = unwrapOption(data.turn);
    if (turn === null) throw new Error('The leg has no turn');
    return { ...data, turn };
  }
}
