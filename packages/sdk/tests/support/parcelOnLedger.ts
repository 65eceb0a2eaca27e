import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { relayGenesis, type RelayLedger } from '@legwork/deploy';
import { startLedger } from '@legwork/ledger';
import {
  configAddress,
  getAcceptInstruction,
  getAssignLegInstruction,
  getClaimInstruction,
  getDisputeInstruction,
  getFormSwarmInstruction,
  getListPackageInstruction,
  legAddress,
  packageAddress,
  reputationAddress,
  swarmAddress,
  vaultAddress,
} from '@legwork/program-client';
import { createUuid, uuidToBytes } from '@legwork/protocol/contract';
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { sendTransaction } from '../../src/index.js';

const PROGRAM_FILE = new URL('../../../../program/dist/relay.so', import.meta.url).pathname;
export const PAYMENT = 40_000_000n;
export const STAKE = 30_000_000n;
const BUDGET = 150_000_000n;
const HASH = new Uint8Array(32).fill(7);

/** A package on its way, with terms unless it is plain: whose it is, and where the ledger has it. */
export interface Parcel {
  readonly id: string;
  readonly shipper: KeyPairSigner;
  readonly receiver: KeyPairSigner;
  readonly arbiter: KeyPairSigner;
  readonly couriers: readonly KeyPairSigner[];
  readonly listing: Address;
  readonly swarm: Address;
  readonly vault: Address;
  readonly legs: readonly Address[];
  readonly legIds: readonly string[];
  readonly deadline: bigint;
  readonly cosignedPickup: boolean;
  /** Without terms. */
  readonly isPlain: boolean;
}

/** A ledger with the program, and packages with terms made by its own instructions, without any service. */
export class ParcelLedger {
  readonly ledger: RelayLedger;
  readonly program: Address;
  readonly config: Address;
  readonly rpc;
  readonly #dataDir: string;

  static async start(): Promise<ParcelLedger> {
    const dataDir = await mkdtemp(join(tmpdir(), 'relay-sdk-'));
    const ledger = await startLedger({ dataDir, port: 0, genesis: relayGenesis(PROGRAM_FILE), finality: 'immediate' });
    return new ParcelLedger(dataDir, ledger, await configAddress(ledger.keypairs.program.signer.address));
  }

  private constructor(dataDir: string, ledger: RelayLedger, config: Address) {
    this.#dataDir = dataDir;
    this.ledger = ledger;
    this.config = config;
    this.program = ledger.keypairs.program.signer.address;
    this.rpc = createSolanaRpc(ledger.rpcUrl);
  }

  async close(): Promise<void> {
    await this.ledger.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  async send(payer: KeyPairSigner, instructions: readonly Instruction[]): Promise<void> {
    const { value: lifetime } = await this.rpc.getLatestBlockhash().send();
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayerSigner(payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (timed) => appendTransactionMessageInstructions(instructions, timed),
    );
    const signed = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
    await sendTransaction(this.rpc, signed, Number(lifetime.lastValidBlockHeight));
  }

  /** A wallet with one SOL. */
  async person(): Promise<KeyPairSigner> {
    const signer = await generateKeyPairSigner();
    await this.rpc.requestAirdrop(signer.address, lamports(1_000_000_000n)).send();
    return signer;
  }

  /** A package whose legs are pending; the coordinator pays for all of it. */
  async inTransit(legs: number, { cosignedPickup = false, isPlain = false } = {}): Promise<Parcel> {
    const [shipper, receiver, arbiter] = [await this.person(), await this.person(), await this.person()];
    const couriers: KeyPairSigner[] = [];
    for (let index = 0; index < legs; index += 1) couriers.push(await this.person());
    const id = createUuid();
    const listing = await packageAddress(this.program, shipper.address, uuidToBytes(id));
    const [swarm, vault] = [await swarmAddress(this.program, listing), await vaultAddress(this.program, listing)];
    const accounts = await Promise.all(couriers.map((_, index) => legAddress(this.program, swarm, index)));
    const legIds = couriers.map(() => createUuid());
    const deadline = BigInt(Math.floor(Date.now() / 1000) + 86_400);
    const people = { shipper, receiver, arbiter, couriers };
    const kind = { cosignedPickup, isPlain };
    const parcel = { id, ...people, listing, swarm, vault, legs: accounts, legIds, deadline, ...kind };
    await this.#form(parcel);
    return parcel;
  }

  async #form(parcel: Parcel): Promise<void> {
    const coordinator = this.ledger.keypairs.coordinator.signer;
    const to = { programAddress: this.program };
    const { listing, swarm, vault, couriers, arbiter, receiver, deadline } = parcel;
    const clocks = { carry: 7_200, handoff: 2_700, review: 86_400, arbitration: 259_200 };
    const roles = { receiver: receiver.address, arbiter: arbiter.address };
    const terms = { ...roles, stake: STAKE, ...clocks, flags: parcel.cosignedPickup ? 1 : 0 };
    const bound = parcel.isPlain ? {} : { terms };
    const listed = { packageId: uuidToBytes(parcel.id), maxBudget: BUDGET, deadline, termsHash: HASH, ...bound };
    const { config } = this;
    const accounts = { funder: coordinator, shipper: parcel.shipper.address, config, package: listing, vault };
    await this.send(coordinator, [getListPackageInstruction({ ...accounts, ...listed }, to)]);
    const formed = { coordinator, config, package: listing, swarm };
    const total = { totalLegs: couriers.length, totalLamports: PAYMENT * BigInt(couriers.length) };
    const assigned = couriers.map(async ({ address: courier }, index) => {
      const reputation = await reputationAddress(this.program, courier);
      const leg = parcel.legs[index] ?? address('');
      return getAssignLegInstruction({ ...formed, leg, courier, reputation, index, paymentLamports: PAYMENT }, to);
    });
    const forming = getFormSwarmInstruction({ ...formed, ...total }, to);
    await this.send(coordinator, [forming, ...(await Promise.all(assigned))]);
  }

  /** The courier of a leg posts its stake; with `take` it has the parcel. */
  async accept(parcel: Parcel, index: number, take = false): Promise<void> {
    const { listing, swarm, shipper } = parcel;
    const courier = personOf(parcel.couriers[index]);
    const accounts = { courier, listing, swarm, leg: personOf(parcel.legs[index]), lister: shipper.address };
    const to = { programAddress: this.program };
    await this.send(courier, [getAcceptInstruction({ ...accounts, formation: 1, take }, to)]);
  }

  /** The courier of a leg that has the parcel claims; with `disputed` the shipper disputes it. */
  async claim(parcel: Parcel, index: number, disputed = false): Promise<void> {
    const { listing, swarm, shipper } = parcel;
    const courier = personOf(parcel.couriers[index]);
    const accounts = { listing, swarm, leg: personOf(parcel.legs[index]), formation: 1 };
    const to = { programAddress: this.program };
    await this.send(courier, [getClaimInstruction({ ...accounts, courier, evidenceHash: HASH }, to)]);
    const dispute = { ...accounts, disputer: shipper, reasonHash: HASH };
    if (disputed) await this.send(shipper, [getDisputeInstruction(dispute, to)]);
  }
}

function personOf<T>(one: T | undefined): T {
  if (one === undefined) throw new RangeError('the parcel has no such leg');
  return one;
}

/** A service's answer about it on `GET /packages/:id`. */
export function packageJson(parcel: Parcel) {
  const place = { pickupLat: 52.5, pickupLng: 13.4, dropoffLat: 52.4, dropoffLng: 13.5 };
  const [now, key] = [new Date().toISOString(), parcel.listing];
  const link = 'http://localhost/';
  const money = { agreedPaymentSol: 0.04, agreedPaymentLamports: Number(PAYMENT), costLamports: Number(PAYMENT) };
  const legs = parcel.couriers.map((courier, legIndex) => ({
    id: parcel.legIds[legIndex],
    legIndex,
    agentPubkey: courier.address,
    ...place,
    distanceKm: 10,
    estimatedDurationMin: 20,
    ...money,
    status: 'pending',
    finality: 'final',
    onChainLeg: parcel.legs[legIndex],
    confirmSignature: null,
    startedAt: null,
    completedAt: null,
    explorer: { onChainLeg: link, confirmSignature: null },
  }));
  const terms = {
    receiverPubkey: parcel.receiver.address,
    arbiterPubkey: parcel.arbiter.address,
    stakeLamports: Number(STAKE),
    carrySec: 7_200,
    handoffSec: 2_700,
    reviewSec: 86_400,
    arbitrationSec: 259_200,
    cosignedPickup: parcel.cosignedPickup,
  };
  const ends = { settleSignature: null, refundLamports: null, endSignature: null, biddingWindowSec: 0 };
  const ledger = { onChainPackage: key, onChainVault: parcel.vault, listSignature: 'x', listedAt: now };
  const swarm = {
    id: parcel.id,
    packageId: parcel.id,
    status: 'active',
    finality: 'final',
    onChainSwarm: parcel.swarm,
    createdAt: now,
    formedAt: now,
    formSignature: null,
    settleSignature: null,
    totalLegs: legs.length,
    completedLegs: 0,
    totalLamports: legs.length * Number(PAYMENT),
    exact: true,
    legs,
    explorer: { onChainSwarm: link, formSignature: null, settleSignature: null },
  };
  return {
    id: parcel.id,
    status: 'in_transit',
    failureReason: null,
    finality: 'final',
    originLat: 52.5,
    originLng: 13.4,
    destLat: 52.4,
    destLng: 13.5,
    description: 'a lamp',
    weightKg: 1,
    volumeLitres: 1,
    maxBudgetSol: 0.15,
    maxBudgetLamports: Number(BUDGET),
    deadline: new Date(Number(parcel.deadline) * 1000).toISOString(),
    shipperPubkey: parcel.shipper.address,
    funderPubkey: key,
    termsHash: 'x',
    ...ledger,
    ...ends,
    biddingClosesAt: null,
    terms: parcel.isPlain ? null : terms,
    requirements: null,
    bids: 1,
    swarm,
    explorer: {
      onChainPackage: link,
      onChainVault: link,
      listSignature: link,
      settleSignature: null,
      endSignature: null,
    },
  };
}
