import {
  configAddress,
  decodeConfig,
  decodePackage,
  decodeReputation,
  decodeSwarm,
  packageAddress,
  programDataAddress,
  swarmAddress,
  vaultAddress,
  type Config,
  type Package,
  type Reputation,
  type Swarm,
} from '@legwork/program-client';
import { lamports, type Address, type EncodedAccount, type Instruction, type KeyPairSigner } from '@solana/kit';
import { RPC_URL } from './backend.js';
import { must, SOL, type Delivery, type Listing } from './delivery.js';
import { Instructions, type Deployed } from './instructions.js';
import { keyOf } from './keys.js';
import type { AccountState, ForgingLedger } from './ledger.js';
import { LiteSvmLedger } from './liteSvmLedger.js';
import { Moves } from './moves.js';
import { Tasks } from './tasks.js';
import { ValidatorLedger } from './validatorLedger.js';

/** The version of a listing that has terms. */
const WITH_TERMS = 2;

/** The program on a ledger, with the people who use it. */
export class Relay extends Instructions {
  readonly ledger: ForgingLedger;
  /** True if the program is one that counts every leg when it is assigned. */
  isFormer = false;
  readonly tasks: Tasks = new Tasks(this);
  readonly moves: Moves = new Moves(this);
  readonly #people = new Map<string, KeyPairSigner>();

  private constructor(ledger: ForgingLedger, deployed: Deployed) {
    super(deployed);
    this.ledger = ledger;
  }

  /** A deployed program that nobody has initialised. */
  static async deployed(on?: ForgingLedger): Promise<Relay> {
    const ledger = on ?? (await (RPC_URL === undefined ? LiteSvmLedger.create() : ValidatorLedger.create(RPC_URL)));
    const { programAddress, upgradeAuthority } = ledger;
    const relay = new Relay(ledger, {
      programAddress,
      programData: await programDataAddress(programAddress),
      upgradeAuthority,
      config: await configAddress(programAddress),
      authority: await keyOf('authority'),
      coordinator: await keyOf('coordinator'),
    });
    await relay.#enrich(relay.coordinator.address);
    return relay;
  }

  static async initialised(on?: ForgingLedger): Promise<Relay> {
    const relay = await Relay.deployed(on);
    must(await relay.ledger.send(relay.initialize()));
    return relay;
  }

  /** Somebody with money, the same one whenever the name is. */
  async person(name: string): Promise<KeyPairSigner> {
    const known = this.#people.get(name);
    if (known) return known;
    const person = await keyOf(name);
    this.#people.set(name, person);
    await this.#enrich(person.address);
    return person;
  }

  /** The person with this address, among those who were named. */
  async known(address: Address): Promise<KeyPairSigner> {
    for (const person of this.#people.values()) if (person.address === address) return person;
    throw new Error(`Nobody was named who has ${address}`);
  }

  /** A thousand SOL, unless most of them are left from an earlier test of the file. */
  async #enrich(address: Address): Promise<void> {
    if ((await this.lamports(address)) < 900n * SOL) await this.ledger.airdrop(address, 1_000n * SOL);
  }

  async courier(index: number): Promise<KeyPairSigner> {
    return this.person(`courier ${index}`);
  }

  async delivery(number = 1, people: Partial<Pick<Delivery, 'shipper' | 'funder'>> = {}): Promise<Delivery> {
    const shipper = people.shipper ?? (await this.person('shipper'));
    const funder = people.funder ?? (await this.person('funder'));
    const packageId = new Uint8Array(16).fill(number % 256).with(0, Math.floor(number / 256));
    const { programAddress } = this;
    const address = await packageAddress(programAddress, shipper.address, packageId);
    const vault = await vaultAddress(programAddress, address);
    const swarm = await swarmAddress(programAddress, address);
    return { shipper, funder, packageId, package: address, vault, swarm };
  }

  /** A listed package. */
  async listed(number = 1, listing: Listing = {}): Promise<Delivery> {
    const delivery = await this.delivery(number);
    must(await this.ledger.send(this.list(delivery, listing)));
    return delivery;
  }

  /** The argument of an assignment that counts a leg with terms later, as the service gives it; a former program knows no later. */
  async countedLater(listing: Address): Promise<true | null> {
    if (this.isFormer) return null;
    const [, version] = (await this.ledger.account(listing))?.data ?? [];
    return version === WITH_TERMS ? true : null;
  }

  override async assign(
    delivery: Delivery,
    index: number,
    courier: Address,
    paymentLamports: bigint,
    countedLater?: true | null,
  ): Promise<Instruction> {
    const said = countedLater === undefined ? await this.countedLater(delivery.package) : countedLater;
    return super.assign(delivery, index, courier, paymentLamports, said);
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
  async carried(payments: readonly bigint[], listed?: Delivery): Promise<Delivery> {
    const delivery = await this.inTransit(payments, listed);
    for (const index of payments.keys())
      must(await this.ledger.send(await this.handoff(delivery, index, payments.length)));
    return delivery;
  }

  async pause(): Promise<void> {
    must(await this.ledger.send(this.setPaused(true)));
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

  async settings(): Promise<Config> {
    return decodeConfig(await this.encoded(this.config)).data;
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
