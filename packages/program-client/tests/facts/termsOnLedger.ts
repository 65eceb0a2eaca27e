import {
  getAssignLegInstruction,
  getConfirmLegInstruction,
  getReclaimPackageInstruction,
  type RelayInstruction,
  type Terms,
} from '@legwork/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { config, coordinator, decoded, programAddress } from './instructions.js';
import { anyTerms, type Holder, MovesOnLedger } from './movesOnLedger.js';
import { addressesFor, PackageOnLedger } from './packageOnLedger.js';

/** The instructions of one package with terms. */
export class TermsOnLedger extends PackageOnLedger {
  readonly arbiter: Address;
  readonly receiver: Address;
  readonly moves: MovesOnLedger;

  private constructor(addresses: Address[], couriers: Address[], payments: bigint[], terms: Terms) {
    super(addresses, couriers, payments, terms);
    this.arbiter = terms.arbiter;
    this.receiver = terms.receiver;
    this.moves = new MovesOnLedger({
      address: this.address,
      swarm: this.swarm,
      legs: this.legs,
      lister: this.shipper,
      vault: this.vault,
      terms,
    });
  }

  /** @param payments - one a courier */
  static override async of(couriers: Address[], payments: bigint[], hasReceiver = true): Promise<TermsOnLedger> {
    return new TermsOnLedger(await addressesFor(couriers), couriers, payments, await anyTerms(hasReceiver));
  }

  leg(index: number): Address {
    const leg = this.legs[index];
    if (!leg) throw new Error(`a package of ${this.legs.length} legs has no leg ${index}`);
    return leg;
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
    const assigned = { courier, reputation: courier, index, paymentLamports, neighbours, countedLater: true };
    const input = { coordinator: createNoopSigner(coordinator), ...places, ...assigned };
    return decoded(getAssignLegInstruction(input, { programAddress }));
  }

  /** @param waiting - the couriers of accepted legs */
  reclaimFrom(waiting: readonly Address[]): RelayInstruction {
    const input = { ...this.closing, couriers: [...waiting] };
    return decoded(getReclaimPackageInstruction(input, { programAddress }));
  }
}
