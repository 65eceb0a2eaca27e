import {
  configAddress,
  decodePackage,
  decodeReputation,
  decodeSwarm,
  getAssignLegInstruction,
  getCancelPackageInstruction,
  getConfirmLegInstruction,
  getFormSwarmInstruction,
  getInitializeInstruction,
  getListPackageInstruction,
  getReclaimPackageInstruction,
  getSettleInstruction,
  legAddress,
  packageAddress,
  programDataAddress,
  reputationAddress,
  swarmAddress,
  vaultAddress,
  type Package,
  type Reputation,
  type Swarm,
} from '@agent-relay/program-client';
import { lamports, type Address, type EncodedAccount, type Instruction, type KeyPairSigner } from '@solana/kit';
import { DEADLINE, must, NOW, SOL, TERMS_HASH, type Delivery, type Listing } from './delivery.js';
import { keyOf } from './keys.js';
import type { AccountState, ForgingLedger } from './ledger.js';
import { LiteSvmLedger } from './liteSvmLedger.js';

/** The program on a ledger, with the people who use it. */
export class Relay {
  readonly ledger: ForgingLedger;
  readonly config: Address;
  readonly authority: KeyPairSigner;
  readonly coordinator: KeyPairSigner;
  readonly #programData: Address;
  readonly #addresses = new Map<string, Address>();
  readonly #people = new Map<string, KeyPairSigner>();

  private constructor(
    ledger: ForgingLedger,
    addresses: { config: Address; programData: Address },
    roles: Pick<Relay, 'authority' | 'coordinator'>,
  ) {
    this.ledger = ledger;
    this.config = addresses.config;
    this.#programData = addresses.programData;
    this.authority = roles.authority;
    this.coordinator = roles.coordinator;
  }

  /** A deployed program that nobody has initialised. */
  static async deployed(): Promise<Relay> {
    const ledger = await LiteSvmLedger.create();
    const roles = { authority: await keyOf('authority'), coordinator: await keyOf('coordinator') };
    const config = await configAddress(ledger.programAddress);
    const programData = await programDataAddress(ledger.programAddress);
    const relay = new Relay(ledger, { config, programData }, roles);
    await ledger.setClock(NOW);
    await ledger.airdrop(roles.coordinator.address, 1_000n * SOL);
    return relay;
  }

  static async initialised(): Promise<Relay> {
    const relay = await Relay.deployed();
    must(await relay.ledger.send(relay.initialize()));
    return relay;
  }

  get #to(): { programAddress: Address } {
    return { programAddress: this.ledger.programAddress };
  }

  /** Somebody with money, the same one whenever the name is. */
  async person(name: string): Promise<KeyPairSigner> {
    const known = this.#people.get(name);
    if (known) return known;
    const person = await keyOf(name);
    this.#people.set(name, person);
    await this.ledger.airdrop(person.address, 1_000n * SOL);
    return person;
  }

  async courier(index: number): Promise<KeyPairSigner> {
    return this.person(`courier ${index}`);
  }

  async delivery(number = 1, people: Partial<Pick<Delivery, 'shipper' | 'funder'>> = {}): Promise<Delivery> {
    const shipper = people.shipper ?? (await this.person('shipper'));
    const funder = people.funder ?? (await this.person('funder'));
    const packageId = new Uint8Array(16).fill(number % 256).with(0, Math.floor(number / 256));
    const { programAddress } = this.#to;
    const address = await packageAddress(programAddress, shipper.address, packageId);
    const vault = await vaultAddress(programAddress, address);
    const swarm = await swarmAddress(programAddress, address);
    return { shipper, funder, packageId, package: address, vault, swarm };
  }

  initialize(): Instruction {
    const { authority, coordinator, config, ledger } = this;
    return getInitializeInstruction(
      {
        upgradeAuthority: ledger.upgradeAuthority,
        config,
        program: ledger.programAddress,
        programData: this.#programData,
        authority: authority.address,
        coordinator: coordinator.address,
      },
      this.#to,
    );
  }

  list(delivery: Delivery, listing: Listing = {}): Instruction {
    const { maxBudget = SOL, deadline = DEADLINE, shipperSigns = true } = listing;
    const shipper = shipperSigns ? delivery.shipper : delivery.shipper.address;
    const { funder, packageId, vault } = delivery;
    const accounts = { funder, shipper, config: this.config, package: delivery.package, vault };
    return getListPackageInstruction({ ...accounts, packageId, maxBudget, deadline, termsHash: TERMS_HASH }, this.#to);
  }

  cancel(delivery: Delivery, signer: KeyPairSigner = delivery.funder): Instruction {
    const { vault, funder } = delivery;
    const accounts = { signer, config: this.config, package: delivery.package, vault, funder: funder.address };
    return getCancelPackageInstruction(accounts, this.#to);
  }

  form(delivery: Delivery, totalLegs: number, totalLamports: bigint): Instruction {
    const { coordinator, config } = this;
    const accounts = { coordinator, config, package: delivery.package, swarm: delivery.swarm };
    return getFormSwarmInstruction({ ...accounts, totalLegs, totalLamports }, this.#to);
  }

  async assign(delivery: Delivery, index: number, courier: Address, paymentLamports: bigint): Promise<Instruction> {
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
    return getAssignLegInstruction({ ...accounts, index, paymentLamports }, this.#to);
  }

  /** The confirmation of leg `index`, which `courier` carried, by `recipient`; `next` is the leg that is shown. */
  async confirm(
    delivery: Delivery,
    leg: { index: number; courier: Address; recipient: KeyPairSigner; next?: number; formation?: number },
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
    return getConfirmLegInstruction({ ...accounts, formation }, this.#to);
  }

  async settle(delivery: Delivery, legs: number, signer = this.coordinator): Promise<Instruction> {
    return getSettleInstruction(await this.#closing(delivery, legs, signer), this.#to);
  }

  async reclaim(delivery: Delivery, legs: number, signer = delivery.funder): Promise<Instruction> {
    return getReclaimPackageInstruction(await this.#closing(delivery, legs, signer), this.#to);
  }

  async #closing(delivery: Delivery, legs: number, signer: KeyPairSigner) {
    const { vault, funder, swarm } = delivery;
    return {
      signer,
      config: this.config,
      package: delivery.package,
      vault,
      funder: funder.address,
      swarm,
      rentPayer: this.coordinator.address,
      legs: await Promise.all(Array.from({ length: legs }, (_, index) => this.leg(delivery, index))),
    };
  }

  async leg(delivery: Pick<Delivery, 'swarm'>, index: number): Promise<Address> {
    const derive = () => legAddress(this.ledger.programAddress, delivery.swarm, index);
    return this.#derived(`leg ${delivery.swarm} ${index}`, derive);
  }

  async reputationOf(agent: Address): Promise<Address> {
    return this.#derived(`reputation ${agent}`, () => reputationAddress(this.ledger.programAddress, agent));
  }

  /** Derivations are slow enough to be remembered. */
  async #derived(name: string, derive: () => Promise<Address>): Promise<Address> {
    const known = this.#addresses.get(name);
    if (known) return known;
    const address = await derive();
    this.#addresses.set(name, address);
    return address;
  }

  /** A listed package. */
  async listed(number = 1, listing: Listing = {}): Promise<Delivery> {
    const delivery = await this.delivery(number);
    must(await this.ledger.send(this.list(delivery, listing)));
    return delivery;
  }

  /** A package whose swarm has these payments in prospect, and the first `assigned` legs assigned. */
  async forming(payments: readonly bigint[], assigned = 0, delivery?: Delivery): Promise<Delivery> {
    const formed = delivery ?? (await this.listed());
    const total = payments.reduce((sum, payment) => sum + payment, 0n);
    const instructions = [this.form(formed, payments.length, total)];
    for (const [index, payment] of payments.slice(0, assigned).entries()) {
      instructions.push(await this.assign(formed, index, (await this.courier(index)).address, payment));
    }
    must(await this.ledger.send(...instructions));
    return formed;
  }

  /** A package on its way: courier n carries leg n for payment n. */
  async inTransit(payments: readonly bigint[], delivery?: Delivery): Promise<Delivery> {
    return this.forming(payments, payments.length, delivery);
  }

  /** The regular confirmation of a leg among `legs`. */
  async handoff(delivery: Delivery, index: number, legs: number): Promise<Instruction> {
    const courier = (await this.courier(index)).address;
    if (index === legs - 1) return this.confirm(delivery, { index, courier, recipient: delivery.shipper });
    const recipient = await this.courier(index + 1);
    return this.confirm(delivery, { index, courier, recipient, next: index + 1 });
  }

  /** A package whose legs are all confirmed. */
  async carried(payments: readonly bigint[]): Promise<Delivery> {
    const delivery = await this.inTransit(payments);
    for (const index of payments.keys())
      must(await this.ledger.send(await this.handoff(delivery, index, payments.length)));
    return delivery;
  }

  /** Writes the pause flag as the authority's instruction would. */
  async pause(): Promise<void> {
    await this.change(this.config, (data) => data.with(99, 1));
  }

  /** An account that exists. */
  async state(address: Address): Promise<AccountState> {
    const state = await this.ledger.account(address);
    if (!state) throw new Error(`There is no account ${address}`);
    return state;
  }

  /** Rewrites an account's data in place. */
  async change(address: Address, change: (data: Uint8Array) => Uint8Array): Promise<void> {
    const state = await this.state(address);
    await this.ledger.forge(address, { ...state, data: change(state.data) });
  }

  /** Makes a wallet a deployed program, whose account no lamports should reach. */
  async makeProgram(address: Address): Promise<void> {
    const program = await this.state(this.ledger.programAddress);
    await this.ledger.forge(address, { ...program, lamports: await this.lamports(address) });
  }

  async lamports(address: Address): Promise<bigint> {
    return (await this.ledger.account(address))?.lamports ?? 0n;
  }

  async encoded(address: Address): Promise<EncodedAccount> {
    const state = await this.state(address);
    const { executable, data, owner } = state;
    return {
      address,
      executable,
      data,
      lamports: lamports(state.lamports),
      programAddress: owner,
      space: BigInt(data.length),
    };
  }

  async package(delivery: Delivery): Promise<Package> {
    return decodePackage(await this.encoded(delivery.package)).data;
  }

  async swarm(delivery: Delivery): Promise<Swarm> {
    return decodeSwarm(await this.encoded(delivery.swarm)).data;
  }

  async reputation(agent: Address): Promise<Reputation> {
    return decodeReputation(await this.encoded(await this.reputationOf(agent))).data;
  }
}
