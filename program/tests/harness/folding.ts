import {
  decodeRelayInstruction,
  getLegDecoder,
  getPackageDecoder,
  getSwarmDecoder,
  getTaskDecoder,
  getTaskLegDecoder,
  listingAccounts,
  LegStatus,
  PackageStatus,
  TaskStatus,
  type Turn,
} from '@legwork/program-client';
import {
  addTo,
  type AssignmentFacts,
  completedOf,
  formationOf,
  type FormationFacts,
  heldLegs,
  isOver,
  type LegFacts,
  leftInVault,
  noFacts,
  type PackageFacts,
  poolOf,
  type TaskFacts,
} from '@legwork/program-client/facts';
import { type Address, address, type Instruction, type Option, unwrapOption } from '@solana/kit';
import type { Relay } from './relay.js';

const RENT_OF_VAULT = 890_880n;

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
    if (misfit) throw new Error(`The fold found ${misfit.misfit}`);
    for (const account of listingAccounts([decoded])) {
      const [parcel, task] = [this.#facts.packages.get(account), this.#facts.tasks.get(account)];
      const pairs = parcel ? await this.#ofPackage(parcel) : task ? await this.#ofTask(task) : [];
      const differing = pairs.find(([, folded, held]) => folded !== held);
      if (!differing) continue;
      const [what, folded, held] = differing;
      throw new Error(`After ${decoded.name} ${what} of ${account} is ${String(folded)} folded, ${String(held)} there`);
    }
  }

  async #data(at: string): Promise<Uint8Array> {
    return (await this.#relay.state(address(at))).data;
  }

  async #ofPackage(parcel: PackageFacts): Promise<Pair[]> {
    const data = await this.#data(parcel.address);
    if (parcel.closeSignature !== null) return [['size', 0, data.length]];
    const held = getPackageDecoder().decode(data);
    const { formation } = parcel;
    return [
      ['status', parcel.status.replace('_', ''), PackageStatus[held.status]?.toLowerCase()],
      ['paid', parcel.paidLamports, held.paid],
      ['formation', formation?.latestNumber ?? 0, held.formation],
      ...(isOver(parcel) ? [] : await this.#ofVault(parcel)),
      ...(formation && !isOver(parcel) ? await this.#ofSwarm(formation) : []),
    ];
  }

  async #ofVault(listing: PackageFacts | TaskFacts): Promise<Pair[]> {
    const balance = await this.#relay.lamports(address(listing.vault));
    // Strangers may have added to it.
    return [['enough in the vault', true, balance >= leftInVault(listing) + RENT_OF_VAULT]];
  }

  async #ofSwarm(formation: FormationFacts): Promise<Pair[]> {
    const held = getSwarmDecoder().decode(await this.#data(formation.swarm));
    const paid = formation.legs.reduce((sum, leg) => sum + (leg.paidLamports ?? 0n), 0n);
    const legs = formation.legs.map(async (leg) => {
      const account = getLegDecoder().decode(await this.#data(leg.address));
      const own: Pair[] = [
        ['courier', leg.courier, account.courier],
        ['payment', leg.paymentLamports, account.paymentLamports],
      ];
      return named(leg, [...own, ...ofTurn(leg, account)]);
    });
    return [
      ['pool', poolOf(formation), held.totalLamports],
      ['assigned lamports', formation.assignedLamports, held.assignedLamports],
      ['completed legs', completedOf(formation.legs).length, held.completedLegs],
      ['paid lamports of the swarm', paid, held.paidLamports],
      ...(await Promise.all(legs)).flat(),
    ];
  }

  async #ofTask(task: TaskFacts): Promise<Pair[]> {
    const data = await this.#data(task.address);
    if (task.closeSignature !== null) return [['size', 0, data.length]];
    const held = getTaskDecoder().decode(data);
    const legs = heldLegs(task);
    const given = legs.reduce((bits, { index }) => bits | (1 << index), 0);
    return [
      ['status', task.status.replace('_', ''), TaskStatus[held.status]?.toLowerCase()],
      ['paid', task.paidLamports, held.paid],
      ['formation', formationOf(task), held.formation],
      ['assigned legs', given, held.assignedLegs],
      ['completed legs', completedOf(legs).length, held.completedLegs],
      ...(isOver(task) ? [] : [...(await this.#ofVault(task)), ...(await this.#ofTaskLegs(legs))]),
    ];
  }

  async #ofTaskLegs(legs: readonly AssignmentFacts[]): Promise<Pair[]> {
    const found = legs.map(async (leg): Promise<Pair[]> => {
      const account = getTaskLegDecoder().decode(await this.#data(leg.address));
      return named(leg, [
        ['agent', leg.courier, account.agent],
        ['payment', leg.paymentLamports, account.paymentLamports],
        ['rent payer', leg.rentPayer, account.rentPayer],
        ...ofTurn(leg, account),
      ]);
    });
    return (await Promise.all(found)).flat();
  }
}

/** The note of a leg that no reputation counts yet. */
const NOT_COUNTED = 3;

function ofTurn(
  { turn, formation, confirmSignature }: LegFacts,
  account: { status: LegStatus; turn: Option<Turn> },
): Pair[] {
  const held = unwrapOption(account.turn) ?? undefined;
  const stage = turn?.stage ?? (confirmSignature === null ? 'pending' : 'completed');
  return [
    ['stage', stage, LegStatus[account.status]?.toLowerCase()],
    ['number', turn ? formation : undefined, held?.formation],
    ['second', turn?.since, held?.since],
    ['percent', turn ? (turn.percent ?? 0) : undefined, held?.percent],
    ['counting', turn?.isCounted, held && held.note !== NOT_COUNTED],
    ['dispute', turn ? turn.disputer !== null : undefined, held && (held.note === 1 || held.note === 2)],
  ];
}

function named({ index }: LegFacts, pairs: readonly Pair[]): Pair[] {
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
