import {
  getAssignLegInstruction,
  getCancelPackageInstruction,
  getClosePackageInstruction,
  getConfirmLegInstruction,
  getFormSwarmInstruction,
  getListPackageInstruction,
  getReclaimPackageInstruction,
  getSettleInstruction,
  type RelayInstruction,
  type Terms,
} from '@legwork/program-client';
import { createUuid, uuidToBytes } from '@legwork/protocol/contract';
import { type Address, createNoopSigner } from '@solana/kit';
import { anyAddress, config, coordinator, decoded, programAddress } from './instructions.js';

/** Of package, shipper, vault and swarm, and of a leg for each courier. */
export async function addressesFor(couriers: readonly Address[]): Promise<Address[]> {
  return Promise.all(Array.from({ length: 4 + couriers.length }, anyAddress));
}

/** When it is due, in unix seconds. */
export const DEADLINE = 1_900_000_000n;

/** The instructions of one package, as transactions of the ledger would show them. */
export class PackageOnLedger {
  readonly id = createUuid();
  readonly address: Address;
  readonly shipper: Address;
  readonly budget: bigint;
  readonly vault: Address;
  readonly swarm: Address;
  readonly legs: readonly Address[];
  readonly #couriers: Address[];
  readonly #payments: bigint[];
  readonly #terms: Terms | null;

  protected constructor(addresses: Address[], couriers: Address[], payments: bigint[], terms: Terms | null = null) {
    const [parcel, shipper, vault, swarm, ...legs] = addresses;
    if (!parcel || !shipper || !vault || !swarm) throw new Error('four addresses and one a leg');
    this.address = parcel;
    this.shipper = shipper;
    this.vault = vault;
    this.swarm = swarm;
    this.legs = legs;
    this.#couriers = couriers;
    this.#payments = payments;
    this.#terms = terms;
    this.budget = payments.reduce((sum, payment) => sum + payment, 10n);
  }

  /** @param payments - one a courier */
  static async of(couriers: Address[], payments: bigint[]): Promise<PackageOnLedger> {
    return new PackageOnLedger(await addressesFor(couriers), couriers, payments);
  }

  protected get shared() {
    return { signer: createNoopSigner(this.shipper), config, package: this.address, funder: this.shipper };
  }

  list(): RelayInstruction {
    const shipper = createNoopSigner(this.shipper);
    const terms = {
      packageId: uuidToBytes(this.id),
      maxBudget: this.budget,
      deadline: DEADLINE,
      termsHash: new Uint8Array(32),
    };
    const accounts = { funder: shipper, shipper, config, package: this.address, vault: this.vault };
    return decoded(getListPackageInstruction({ ...accounts, ...terms, terms: this.#terms }, { programAddress }));
  }

  cancel(): RelayInstruction {
    return decoded(getCancelPackageInstruction({ ...this.shared, vault: this.vault }, { programAddress }));
  }

  /** form_swarm and every assign_leg. */
  form(): RelayInstruction[] {
    const shared = {
      coordinator: createNoopSigner(coordinator),
      config,
      package: this.address,
      swarm: this.swarm,
    };
    const totals = { totalLegs: this.legs.length, totalLamports: this.budget - 10n };
    return [
      decoded(getFormSwarmInstruction({ ...shared, ...totals }, { programAddress })),
      ...this.legs.map((leg, index) => {
        const courier = this.#couriers[index] ?? coordinator;
        const assigned = { leg, courier, reputation: courier, index, paymentLamports: this.#payments[index] ?? 0n };
        const countedLater = this.#terms && true;
        return decoded(getAssignLegInstruction({ ...shared, ...assigned, countedLater }, { programAddress }));
      }),
    ];
  }

  confirm(index: number, formation = 1): RelayInstruction {
    const courier = this.#couriers[index] ?? coordinator;
    return decoded(
      getConfirmLegInstruction(
        {
          recipient: createNoopSigner(this.shipper),
          package: this.address,
          swarm: this.swarm,
          leg: this.legs[index] ?? this.address,
          vault: this.vault,
          courier,
          reputation: courier,
          formation,
        },
        { programAddress },
      ),
    );
  }

  protected get closing() {
    return { ...this.shared, vault: this.vault, swarm: this.swarm, rentPayer: coordinator, legs: [...this.legs] };
  }

  settle(): RelayInstruction {
    return decoded(getSettleInstruction(this.closing, { programAddress }));
  }

  reclaim(): RelayInstruction {
    return decoded(getReclaimPackageInstruction(this.closing, { programAddress }));
  }

  close(): RelayInstruction {
    return decoded(getClosePackageInstruction(this.shared, { programAddress }));
  }
}
