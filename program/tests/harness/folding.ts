import {
  decodeRelayInstruction,
  getLegDecoder,
  getPackageDecoder,
  getSwarmDecoder,
  getTaskDecoder,
  getTaskLegDecoder,
  LegStatus,
  listingAccount,
  PackageStatus,
  TaskStatus,
  type Turn,
} from '@legwork/program-client';
import {
  addTo,
  completedOf,
  formationOf,
  heldLegs,
  isOver,
  type LegFacts,
  leftInVault,
  type Listing,
  noFacts,
  type PackageFacts,
  poolOf,
  type TaskFacts,
} from '@legwork/program-client/facts';
import { type Address, address, type Instruction, type Option, unwrapOption } from '@solana/kit';
import type { Relay } from './relay.js';

const RENT_OF_VAULT = 890_880n;
/** The note of a leg that no reputation counts yet. */
const NOT_COUNTED = 3;

/** A value by its name, as the fold has it and as the account has it. */
type Pair = readonly [what: string, folded: unknown, account: unknown];

/** Folds the transactions of a ledger as they land, and requires the facts to be what the accounts of each listing say. */
export class Folding {
  readonly #relay: Relay;
  readonly #facts = noFacts();

  constructor(relay: Relay) {
    this.#relay = relay;
  }

  /** @param gained how many lamports more its accounts have @throws Error when facts and accounts differ */
  async require(instruction: Instruction, at: bigint, gained: ReadonlyMap<string, bigint>): Promise<void> {
    const decoded = decodeRelayInstruction(this.#relay.programAddress, instruction);
    if (!decoded) return;
    const signature = `tx${this.#facts.transactions.size}`;
    const misfit = addTo(this.#facts, { signature, instructions: [decoded], at, gained });
    if (misfit) throw new Error(`The fold says ${misfit.misfit}`);
    const account = listingAccount(decoded) ?? '';
    const listing = this.#facts.packages.get(account) ?? this.#facts.tasks.get(account);
    for (const [what, folded, held] of listing ? await this.#pairsOf(listing) : []) {
      if (folded === held) continue;
      throw new Error(`After ${decoded.name} ${what} of ${account} is ${String(folded)} folded, ${String(held)} there`);
    }
  }

  async #data(at: string): Promise<Uint8Array> {
    return (await this.#relay.state(address(at))).data;
  }

  async #pairsOf(listing: Listing): Promise<Pair[]> {
    const data = await this.#data(listing.address);
    if (listing.closeSignature !== null) return [['size', 0, data.length]];
    const balance = await this.#relay.lamports(address(listing.vault));
    // Strangers may have added to it.
    const isCovered = isOver(listing) || balance >= leftInVault(listing) + RENT_OF_VAULT;
    const pairs = listing.kind === 'package' ? this.#ofPackage(listing, data) : this.#ofTask(listing, data);
    return [['enough in the vault', true, isCovered], ...(await pairs)];
  }

  async #ofPackage(parcel: PackageFacts, data: Uint8Array): Promise<Pair[]> {
    const { status, paid, formation: number } = getPackageDecoder().decode(data);
    const { formation } = parcel;
    const own: Pair[] = [
      ['status', parcel.status.replace('_', ''), PackageStatus[status]?.toLowerCase()],
      ['paid', parcel.paidLamports, paid],
      ['formation', formation?.latestNumber ?? 0, number],
    ];
    if (!formation || isOver(parcel)) return own;
    const swarm = getSwarmDecoder().decode(await this.#data(formation.swarm));
    const paidToLegs = formation.legs.reduce((sum, leg) => sum + (leg.paidLamports ?? 0n), 0n);
    const ofLegs = formation.legs.map(async (leg) => {
      const account = getLegDecoder().decode(await this.#data(leg.address));
      return pairsOfLeg(leg, account, account.courier);
    });
    return [
      ...own,
      ['pool', poolOf(formation), swarm.totalLamports],
      ['assigned lamports', formation.assignedLamports, swarm.assignedLamports],
      ['completed legs', completedOf(formation.legs).length, swarm.completedLegs],
      ['paid lamports of the swarm', paidToLegs, swarm.paidLamports],
      ...(await Promise.all(ofLegs)).flat(),
    ];
  }

  async #ofTask(task: TaskFacts, data: Uint8Array): Promise<Pair[]> {
    const held = getTaskDecoder().decode(data);
    const legs = heldLegs(task);
    const ofLegs = (isOver(task) ? [] : legs).map(async (leg) => {
      const account = getTaskLegDecoder().decode(await this.#data(leg.address));
      return pairsOfLeg(leg, account, account.agent);
    });
    return [
      ['status', task.status.replace('_', ''), TaskStatus[held.status]?.toLowerCase()],
      ['paid', task.paidLamports, held.paid],
      ['formation', formationOf(task), held.formation],
      ['assigned legs', legs.reduce((bits, { index }) => bits | (1 << index), 0), held.assignedLegs],
      ['completed legs', completedOf(legs).length, held.completedLegs],
      ...(await Promise.all(ofLegs)).flat(),
    ];
  }
}

function pairsOfLeg(
  { index, courier, paymentLamports, turn, formation, confirmSignature }: LegFacts,
  account: { paymentLamports: bigint; status: LegStatus; turn: Option<Turn> },
  worker: Address,
): Pair[] {
  const held = unwrapOption(account.turn) ?? undefined;
  const stage = turn?.stage ?? (confirmSignature === null ? 'pending' : 'completed');
  const pairs: Pair[] = [
    ['worker', courier, worker],
    ['payment', paymentLamports, account.paymentLamports],
    ['stage', stage, LegStatus[account.status]?.toLowerCase()],
    ['number', turn ? formation : undefined, held?.formation],
    ['second', turn?.since, held?.since],
    ['percent', turn ? (turn.percent ?? 0) : undefined, held?.percent],
    ['counting', turn?.isCounted, held && held.note !== NOT_COUNTED],
    ['dispute', turn ? turn.disputer !== null : undefined, held && (held.note === 1 || held.note === 2)],
  ];
  return pairs.map(([what, ...values]) => [`${what} of leg ${index}`, ...values]);
}

/** By how much the lamports of accounts have grown. */
export function gains(
  at: readonly Address[],
  before: readonly bigint[],
  after: readonly bigint[],
): Map<string, bigint> {
  return new Map(at.map((account, place) => [account, (after[place] ?? 0n) - (before[place] ?? 0n)]));
}
