import {
  getAcceptInstruction,
  getAssignLegInstruction,
  getClaimInstruction,
  getConfirmLegInstruction,
  getDisputeInstruction,
  getReclaimPackageInstruction,
  getRuleInstruction,
  getVacateInstruction,
  type RelayInstruction,
  type Terms,
} from '@legwork/program-client';
import { INCINERATOR_ADDRESS } from '@legwork/protocol/rules';
import { type Address, address, createNoopSigner } from '@solana/kit';
import { anyAddress, config, coordinator, decoded, programAddress } from './instructions.js';
import { addressesFor, PackageOnLedger } from './packageOnLedger.js';

/** Odd, so that halves are rounded. */
export const STAKE = 2_000_001n;

const NOBODY = address('11111111111111111111111111111111');
const clocks = { carry: 400, handoff: 300, review: 500, arbitration: 600 };

/** A hash of one byte, 32 times. */
export const hashOf = (byte: number) => new Uint8Array(32).fill(byte);

/** Who has a leg, and by which number. */
export interface Holder {
  index: number;
  courier: Address;
  /** 1: the formation's. */
  number?: number;
}

/** The instructions of one package with terms. */
export class TermsOnLedger extends PackageOnLedger {
  readonly arbiter: Address;
  readonly receiver: Address;

  private constructor(addresses: Address[], couriers: Address[], payments: bigint[], terms: Terms) {
    super(addresses, couriers, payments, terms);
    this.arbiter = terms.arbiter;
    this.receiver = terms.receiver;
  }

  /** @param payments - one a courier */
  static override async of(couriers: Address[], payments: bigint[], hasReceiver = true): Promise<TermsOnLedger> {
    const receiver = hasReceiver ? await anyAddress() : NOBODY;
    const terms = { receiver, arbiter: await anyAddress(), stake: STAKE, ...clocks, flags: 0 };
    return new TermsOnLedger(await addressesFor(couriers), couriers, payments, terms);
  }

  leg(index: number): Address {
    const leg = this.legs[index];
    if (!leg) throw new Error(`a package of ${this.legs.length} legs has no leg ${index}`);
    return leg;
  }

  #of({ index, number: formation = 1 }: Holder) {
    return { listing: this.address, swarm: this.swarm, leg: this.leg(index), formation };
  }

  accept(holder: Holder, take = false): RelayInstruction {
    const courier = createNoopSigner(holder.courier);
    const input = { ...this.#of(holder), courier, lister: this.shipper, take };
    return decoded(getAcceptInstruction(input, { programAddress }));
  }

  take(holder: Holder): RelayInstruction {
    return this.accept(holder, true);
  }

  /** @param signer - its courier, unless told */
  vacate(holder: Holder, signer = holder.courier): RelayInstruction {
    const { courier } = holder;
    const input = { ...this.#of(holder), signer: createNoopSigner(signer), courier, vault: this.vault };
    return decoded(getVacateInstruction(input, { programAddress }));
  }

  claim(holder: Holder): RelayInstruction {
    const courier = createNoopSigner(holder.courier);
    const input = { ...this.#of(holder), courier, evidenceHash: hashOf(0xe1) };
    return decoded(getClaimInstruction(input, { programAddress }));
  }

  dispute(holder: Holder, disputer = this.shipper): RelayInstruction {
    const input = { ...this.#of(holder), disputer: createNoopSigner(disputer), reasonHash: hashOf(0xd1) };
    return decoded(getDisputeInstruction(input, { programAddress }));
  }

  #rule(holder: Holder, signer: Address, fee: Address, { percent, other = this.shipper }: Ruling): RelayInstruction {
    const payees = { worker: holder.courier, other, fee, vault: this.vault };
    const input = { ...this.#of(holder), ...payees, signer: createNoopSigner(signer), config, percent };
    return decoded(getRuleInstruction(input, { programAddress }));
  }

  rule(holder: Holder, ruling: Ruling): RelayInstruction {
    return this.#rule(holder, this.arbiter, this.arbiter, ruling);
  }

  agree(holder: Holder, ruling: Ruling): RelayInstruction {
    return this.#rule(holder, this.shipper, this.arbiter, ruling);
  }

  rulingBySilence(holder: Holder, other = this.shipper): RelayInstruction {
    return this.#rule(holder, coordinator, address(INCINERATOR_ADDRESS), { percent: 50, other });
  }

  /** Signed by anybody; it names the holder's number, unless told. */
  end(holder: Holder, recipient: Address, formation = holder.number ?? 1): RelayInstruction {
    const { index, courier } = holder;
    const signed = { recipient: createNoopSigner(recipient), vault: this.vault, formation };
    const places = { package: this.address, swarm: this.swarm, leg: this.leg(index) };
    const input = { ...signed, ...places, courier, reputation: courier };
    return decoded(getConfirmLegInstruction(input, { programAddress }));
  }

  replace(index: number, courier: Address, paymentLamports: bigint): RelayInstruction {
    const places = { config, package: this.address, swarm: this.swarm, leg: this.leg(index) };
    const neighbours = [this.legs[index - 1] ?? programAddress, this.legs[index + 1] ?? programAddress];
    const assigned = { courier, reputation: courier, index, paymentLamports, neighbours };
    const input = { coordinator: createNoopSigner(coordinator), ...places, ...assigned };
    return decoded(getAssignLegInstruction(input, { programAddress }));
  }

  /** @param waiting - the couriers of accepted legs */
  reclaimFrom(waiting: readonly Address[]): RelayInstruction {
    const input = { ...this.closing, couriers: [...waiting] };
    return decoded(getReclaimPackageInstruction(input, { programAddress }));
  }
}

/** How a leg is ruled, and who is on the other side. */
interface Ruling {
  percent: number;
  other?: Address;
}
