import {
  getAssignTaskLegInstruction,
  getCancelTaskInstruction,
  getCloseTaskInstruction,
  getConfirmTaskLegInstruction,
  getListTaskInstruction,
  getReclaimTaskInstruction,
  getReleaseTaskLegInstruction,
  getSettleTaskInstruction,
  type RelayInstruction,
  type Terms,
} from '@legwork/program-client';
import { createUuid, uuidToBytes } from '@legwork/protocol/contract';
import { type Address, createNoopSigner } from '@solana/kit';
import { anyAddress, config, coordinator, decoded, programAddress } from './instructions.js';
import { MovesOnLedger } from './movesOnLedger.js';

/** The hash of the result of the leg with this index: the same byte, 32 times. */
export function hashOf(index: number): Uint8Array {
  return new Uint8Array(32).fill(index + 1);
}

/** The instructions of one digital task, as transactions of the ledger would show them. */
export class TaskOnLedger {
  readonly id = createUuid();
  readonly address: Address;
  readonly poster: Address;
  readonly budget: bigint;
  readonly legs: readonly Address[];
  readonly vault: Address;
  readonly #terms: Terms | null;

  private constructor(addresses: Address[], budget: bigint, terms: Terms | null) {
    const [task, poster, vault, ...legs] = addresses;
    if (!task || !poster || !vault) throw new Error('three addresses and one a leg');
    this.address = task;
    this.poster = poster;
    this.budget = budget;
    this.legs = legs;
    this.vault = vault;
    this.#terms = terms;
  }

  static async of(numLegs: number, budget: bigint, terms: Terms | null = null): Promise<TaskOnLedger> {
    return new TaskOnLedger(await Promise.all(Array.from({ length: 3 + numLegs }, anyAddress)), budget, terms);
  }

  /** Of its legs; the program's own address stands where a package has its swarm. */
  get moves(): MovesOnLedger {
    if (this.#terms === null) throw new Error('the task has no terms');
    const { address, legs, poster: lister, vault } = this;
    return new MovesOnLedger({ address, swarm: programAddress, legs, lister, vault, terms: this.#terms });
  }

  get #byCoordinator() {
    return { coordinator: createNoopSigner(coordinator), config, task: this.address };
  }

  get #byPoster() {
    return { signer: createNoopSigner(this.poster), config, task: this.address, funder: this.poster };
  }

  #leg(index: number): Address {
    const leg = this.legs[index];
    if (!leg) throw new Error(`a task of ${this.legs.length} legs has no leg ${index}`);
    return leg;
  }

  list(): RelayInstruction {
    const poster = createNoopSigner(this.poster);
    const deadline = 1_900_000_000n;
    const numLegs = this.legs.length;
    const terms = { taskId: uuidToBytes(this.id), numLegs, maxBudget: this.budget, deadline, termsHash: hashOf(-1) };
    const accounts = { funder: poster, poster, config, task: this.address, vault: this.vault };
    return decoded(getListTaskInstruction({ ...accounts, ...terms, terms: this.#terms }, { programAddress }));
  }

  assign(index: number, agent: Address): RelayInstruction {
    const countedLater = this.#terms && true;
    const leg = { taskLeg: this.#leg(index), agent, reputation: agent, index, countedLater };
    return decoded(getAssignTaskLegInstruction({ ...this.#byCoordinator, ...leg }, { programAddress }));
  }

  release(index: number): RelayInstruction {
    const leg = { taskLeg: this.#leg(index), rentPayer: coordinator, index };
    return decoded(getReleaseTaskLegInstruction({ ...this.#byCoordinator, ...leg }, { programAddress }));
  }

  /** Signed by the coordinator with the hash of the leg's result, unless told. */
  confirm(
    index: number,
    agent: Address,
    { signer = coordinator, resultHash = hashOf(index) }: { signer?: Address; resultHash?: Uint8Array } = {},
  ): RelayInstruction {
    const leg = { taskLeg: this.#leg(index), agent, reputation: agent, index, resultHash };
    const accounts = { ...this.#byCoordinator, signer: createNoopSigner(signer), vault: this.vault };
    return decoded(getConfirmTaskLegInstruction({ ...accounts, ...leg }, { programAddress }));
  }

  #closing(assigned: readonly number[]) {
    const legsWithRentPayers = assigned.flatMap((index) => [this.#leg(index), coordinator]);
    return { ...this.#byPoster, vault: this.vault, legsWithRentPayers };
  }

  /** @param assigned - the legs that have an agent: all, unless told */
  settle(assigned: readonly number[] = [...this.legs.keys()]): RelayInstruction {
    return decoded(getSettleTaskInstruction(this.#closing(assigned), { programAddress }));
  }

  /** @param agents - of an accepted leg, with terms */
  reclaim(assigned: readonly number[], agents: Address[] = []): RelayInstruction {
    return decoded(getReclaimTaskInstruction({ ...this.#closing(assigned), agents }, { programAddress }));
  }

  cancel(): RelayInstruction {
    return decoded(getCancelTaskInstruction({ ...this.#byPoster, vault: this.vault }, { programAddress }));
  }

  close(): RelayInstruction {
    return decoded(getCloseTaskInstruction(this.#byPoster, { programAddress }));
  }
}
