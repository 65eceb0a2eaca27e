import {
  getAcceptAuthorityInstruction,
  getAssignLegInstruction,
  getCancelPackageInstruction,
  getClosePackageInstruction,
  getConfirmLegInstruction,
  getFormSwarmInstruction,
  getInitializeInstruction,
  getListPackageInstruction,
  getOpenReputationInstruction,
  getProposeAuthorityInstruction,
  getReclaimPackageInstruction,
  getSetCoordinatorInstruction,
  getSetPausedInstruction,
  getSettleInstruction,
  legAddress,
  reputationAddress,
  taskLegAddress,
} from '@legwork/program-client';
import type { Address, Instruction, KeyPairSigner, TransactionSigner } from '@solana/kit';
import { DEADLINE, SOL, TERMS_HASH, type Delivery, type Listing } from './delivery.js';
import { isTask, type Escrow } from './escrow.js';
import type { Job } from './job.js';

/** The account that pays for a package or task, and receives what is left. */
export const fundedBy = ({ funder, mandate }: Pick<Delivery | Job, 'funder' | 'mandate'>): Address =>
  mandate ?? funder.address;

/** A deployed program, and the holders of its roles. */
export interface Deployed {
  readonly programAddress: Address;
  readonly programData: Address;
  readonly upgradeAuthority: TransactionSigner;
  readonly config: Address;
  readonly authority: KeyPairSigner;
  readonly coordinator: KeyPairSigner;
}

/** Every instruction of the program but those about tasks, as those sign it whose role it is, unless somebody else is named. */
export class Instructions implements Deployed {
  readonly programAddress: Address;
  readonly programData: Address;
  readonly upgradeAuthority: TransactionSigner;
  readonly config: Address;
  readonly authority: KeyPairSigner;
  readonly coordinator: KeyPairSigner;
  readonly #derivations = new Map<string, Address>();

  constructor(deployed: Deployed) {
    this.programAddress = deployed.programAddress;
    this.programData = deployed.programData;
    this.upgradeAuthority = deployed.upgradeAuthority;
    this.config = deployed.config;
    this.authority = deployed.authority;
    this.coordinator = deployed.coordinator;
  }

  get #to(): { programAddress: Address } {
    return { programAddress: this.programAddress };
  }

  initialize(): Instruction {
    const { programAddress, programData, upgradeAuthority, config, authority, coordinator } = this;
    const accounts = { upgradeAuthority, config, program: programAddress, programData };
    const roles = { authority: authority.address, coordinator: coordinator.address };
    return getInitializeInstruction({ ...accounts, ...roles }, this.#to);
  }

  setCoordinator(coordinator: Address, authority = this.authority): Instruction {
    return getSetCoordinatorInstruction({ authority, config: this.config, coordinator }, this.#to);
  }

  setPaused(paused: boolean, authority = this.authority): Instruction {
    return getSetPausedInstruction({ authority, config: this.config, paused }, this.#to);
  }

  proposeAuthority(newAuthority: Address, authority = this.authority): Instruction {
    return getProposeAuthorityInstruction({ authority, config: this.config, newAuthority }, this.#to);
  }

  acceptAuthority(newAuthority: KeyPairSigner): Instruction {
    return getAcceptAuthorityInstruction({ newAuthority, config: this.config }, this.#to);
  }

  list(delivery: Delivery, listing: Listing = {}): Instruction {
    const { maxBudget = SOL, deadline = DEADLINE, shipperSigns = true, terms = null } = listing;
    const shipper = shipperSigns ? delivery.shipper : delivery.shipper.address;
    const { packageId, vault, funder: owner, mandate: funder = owner } = delivery;
    const accounts = { funder, shipper, config: this.config, package: delivery.package, vault };
    const offer = { packageId, maxBudget, deadline, termsHash: TERMS_HASH, terms };
    return getListPackageInstruction({ ...accounts, ...offer }, this.#to);
  }

  cancel(delivery: Delivery, signer: KeyPairSigner = delivery.funder): Instruction {
    const { vault } = delivery;
    const accounts = { signer, config: this.config, package: delivery.package, vault, funder: fundedBy(delivery) };
    return getCancelPackageInstruction(accounts, this.#to);
  }

  form(delivery: Delivery, totalLegs: number, totalLamports: bigint): Instruction {
    const { coordinator, config } = this;
    const accounts = { coordinator, config, package: delivery.package, swarm: delivery.swarm };
    return getFormSwarmInstruction({ ...accounts, totalLegs, totalLamports }, this.#to);
  }

  async assign(
    delivery: Delivery,
    index: number,
    courier: Address,
    paymentLamports: bigint,
    countedLater: true | null = null,
  ): Promise<Instruction> {
    const { coordinator, config } = this;
    const leg = await this.leg(delivery, index);
    const reputation = await this.reputationOf(courier);
    const accounts = {
      coordinator,
      config,
      package: delivery.package,
      swarm: delivery.swarm,
      leg,
      courier,
      reputation,
    };
    return getAssignLegInstruction({ ...accounts, index, paymentLamports, countedLater }, this.#to);
  }

  /**
   * The confirmation of leg `index`, which `courier` carried, by `recipient`; `next` is the leg that is shown, `counted` the courier
   * that takes over.
   */
  async confirm(
    delivery: Delivery,
    leg: {
      index: number;
      courier: Address;
      recipient: KeyPairSigner;
      next?: number;
      formation?: number;
      counted?: Address;
    },
  ): Promise<Instruction> {
    const { courier, recipient, formation = 1 } = leg;
    const accounts = {
      recipient,
      package: delivery.package,
      swarm: delivery.swarm,
      leg: await this.leg(delivery, leg.index),
      vault: delivery.vault,
      courier,
      reputation: await this.reputationOf(courier),
      ...(leg.next === undefined ? {} : { nextLeg: await this.leg(delivery, leg.next) }),
    };
    const counted = leg.counted === undefined ? [] : [await this.reputationOf(leg.counted)];
    return getConfirmLegInstruction({ ...accounts, formation, counted }, this.#to);
  }

  async settle(delivery: Delivery, legs: number, signer = this.coordinator): Promise<Instruction> {
    return getSettleInstruction({ signer, ...(await this.#ending(delivery, legs)) }, this.#to);
  }

  /** `couriers` are those of accepted legs, with terms. */
  async reclaim(
    delivery: Delivery,
    legs: number,
    signer = delivery.funder,
    couriers: Address[] = [],
  ): Promise<Instruction> {
    return getReclaimPackageInstruction({ signer, ...(await this.#ending(delivery, legs)), couriers }, this.#to);
  }

  close(delivery: Delivery, signer: KeyPairSigner = delivery.funder): Instruction {
    const accounts = { config: this.config, package: delivery.package, funder: fundedBy(delivery) };
    return getClosePackageInstruction({ signer, ...accounts }, this.#to);
  }

  async openReputation(agent: Address, payer: TransactionSigner = this.coordinator): Promise<Instruction> {
    return getOpenReputationInstruction({ payer, agent, reputation: await this.reputationOf(agent) }, this.#to);
  }

  async #ending(delivery: Delivery, legs: number) {
    const { vault, swarm } = delivery;
    return {
      config: this.config,
      package: delivery.package,
      vault,
      funder: fundedBy(delivery),
      swarm,
      rentPayer: this.coordinator.address,
      legs: await Promise.all(Array.from({ length: legs }, (_, index) => this.leg(delivery, index))),
    };
  }

  async leg(delivery: Pick<Delivery, 'swarm'>, index: number): Promise<Address> {
    const derive = () => legAddress(this.programAddress, delivery.swarm, index);
    return this.#derived(`leg ${delivery.swarm} ${index}`, derive);
  }

  async taskLeg({ task }: Pick<Job, 'task'>, index: number): Promise<Address> {
    return this.#derived(`task leg ${task} ${index}`, () => taskLegAddress(this.programAddress, task, index));
  }

  /** A leg of a package or of a task. */
  async hop(escrow: Escrow, index: number): Promise<Address> {
    return isTask(escrow) ? this.taskLeg(escrow, index) : this.leg(escrow, index);
  }

  async reputationOf(agent: Address): Promise<Address> {
    return this.#derived(`reputation ${agent}`, () => reputationAddress(this.programAddress, agent));
  }

  /** Derivations are slow enough to be remembered. */
  async #derived(name: string, derive: () => Promise<Address>): Promise<Address> {
    const known = this.#derivations.get(name);
    if (known) return known;
    const address = await derive();
    this.#derivations.set(name, address);
    return address;
  }
}
