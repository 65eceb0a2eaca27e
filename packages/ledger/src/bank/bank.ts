import { EventEmitter } from 'node:events';
import type { Store } from '../store/store.js';
import type { Account } from './account.js';
import { Accounts, type ChangedAccount } from './accounts.js';
import { resolveAccountKeys, type AccountKeys } from './accountKeys.js';
import { BlockhashQueue } from './blockhashes.js';
import { BLOCKHASH_AGE, FINALITY_SLOTS, type Commitment } from './commitment.js';
import { SLOTS_PER_EPOCH, type Engine, type Execution, type Simulation } from './engine.js';
import { bytesOfKey, keyOf } from './keys.js';
import type { SlotClock } from './slotClock.js';
import { namesOf, StatusCache, STATUS_SLOTS, type TransactionNames, type TransactionStatus } from './statusCache.js';
import { transactionMetaJson, type Balances } from './transactionMeta.js';
import type { TransactionError } from './transactionError.js';
import { parseTransaction, signatureOf, type WireTransaction } from './wire.js';

/** A transaction that is on disk, as it is told to subscribers. */
export type LandedTransaction = {
  readonly signature: Uint8Array;
  readonly slot: number;
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  /** The accounts that it names. */
  readonly mentions: readonly Uint8Array[];
  readonly changed: readonly ChangedAccount[];
};

export type BankEvents = {
  /** A slot began. */
  slot: [slot: { readonly slot: number; readonly root: number }];
  /** A transaction is on disk: processed and confirmed. */
  landed: [transaction: LandedTransaction];
  /** A landed transaction became final. */
  finalized: [transaction: LandedTransaction];
};

/** Why a transaction was not executed, or what its preflight gave. Nothing of it remains. */
export type Refusal = Execution & { readonly fee: bigint | null };

export type BankOptions = {
  readonly salt: Uint8Array;
  readonly finality: 'delayed' | 'immediate';
};

/** Most slots to announce one by one after the process was held up; older ones are skipped. */
const MAX_CATCH_UP = 64;

/** Slots after which an idle ledger stores how far time has come; each transaction's slot does it as well. */
const NOTE_SLOTS = 64;

/** The ledger's one state machine: it orders, executes, stores, then tells. All calls are synchronous, so none interleave. */
export class Bank extends EventEmitter<BankEvents> {
  readonly engine: Engine;
  readonly clock: SlotClock;
  readonly #store: Store;
  readonly #finalityDelay: number;
  readonly #blockhashes: BlockhashQueue;
  readonly #statuses = new StatusCache();
  readonly #accounts: Accounts;
  #unfinalized: LandedTransaction[] = [];
  #slot = -1;
  #nextIndex = 0;
  #notedSlot = 0;
  #transactionCount: number;

  /** Rebuilds the state from the store. */
  constructor(store: Store, engine: Engine, clock: SlotClock, options: BankOptions) {
    super();
    this.#store = store;
    this.engine = engine;
    this.#accounts = new Accounts(engine);
    this.clock = clock;
    this.#finalityDelay = options.finality === 'immediate' ? 0 : Number(FINALITY_SLOTS);
    this.#blockhashes = new BlockhashQueue(options.salt);
    this.#transactionCount = store.transactionCount();
    this.tick();
    this.#accounts.restore(store);
    this.#restoreStatuses();
  }

  // --- time ---

  /** Brings the ledger to the present slot. */
  tick(): void {
    const slot = this.clock.slot();
    if (slot <= this.#slot) return;
    const previous = this.#slot;
    this.#slot = slot;
    this.#nextIndex = 0;
    const epoch = Math.floor(slot / Number(SLOTS_PER_EPOCH));
    this.engine.setTime({
      slot: BigInt(slot),
      epoch: BigInt(epoch),
      epochStartTimestamp: BigInt(this.blockTime(epoch * Number(SLOTS_PER_EPOCH))),
      unixTimestamp: BigInt(this.blockTime(slot)),
    });
    this.#blockhashes.moveTo(slot);
    this.#statuses.moveTo(slot);
    const root = this.slotAt('finalized');
    this.#accounts.forgetUpTo(root);
    for (let told = Math.max(previous + 1, slot - MAX_CATCH_UP); told <= slot; told += 1) {
      this.emit('slot', { slot: told, root: Math.max(0, told - this.#finalityDelay) });
    }
    this.#tellFinalized(root);
    if (slot >= this.#notedSlot + NOTE_SLOTS) this.#noteTime();
  }

  /** Stores how far time has come, so that it goes on from there even when the wall clock is set back meanwhile. */
  #noteTime(): void {
    this.#notedSlot = this.#slot;
    this.#store.putClock(this.clock.state());
  }

  /** The latest slot with this commitment; the block height is the same number, since no slot goes without a block. */
  slotAt(commitment: Commitment): number {
    return commitment === 'finalized' ? Math.max(0, this.#slot - this.#finalityDelay) : this.#slot;
  }

  /** Seconds since 1970 at which a slot began. */
  blockTime(slot: number): number {
    return Math.floor(this.clock.slotStartMs(slot) / 1000);
  }

  /** Moves time forward; tells when the move is on disk. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.#noteTime();
    this.tick();
    await this.#store.durable();
  }

  // --- blockhashes ---

  blockhashAt(slot: number): string {
    return this.#blockhashes.text(slot);
  }

  /** The last block height at which a transaction may name this blockhash; undefined when it no longer may. */
  lastValidBlockHeight(blockhash: Uint8Array): number | undefined {
    const slot = this.#blockhashes.slotOf(blockhash);
    return slot === undefined ? undefined : slot + Number(BLOCKHASH_AGE);
  }

  // --- transactions ---

  get transactionCount(): number {
    return this.#transactionCount;
  }

  /**
   * Executes a transaction at once. With `preflight`, one that fails leaves nothing behind, as if it had only been simulated;
   * without, it pays its fee and is recorded. Subscribers are told, and `durable()` resolves, once it is on disk.
   *
   * @returns why it was refused, or undefined when it landed
   */
  submit(transaction: WireTransaction, preflight: boolean): Refusal | undefined {
    this.tick();
    const names = namesOf(transaction);
    const early = this.#refuse(transaction, names);
    if (early !== null) return { ...unexecuted(this.#isForged(transaction) ? 'SignatureFailure' : early), fee: null };
    const keys = resolveAccountKeys(transaction.message, (address) => this.#accounts.now(address));
    const before = this.#accounts.writable(keys);
    const execution = this.engine.execute(transaction.bytes);
    const after = this.#accounts.writable(keys);
    const balances: Balances = {
      pre: this.#accounts.balances(keys, before),
      post: this.#accounts.balances(keys, after),
    };
    // Lamports only move within a transaction, so what is missing afterwards is the fee.
    const fee = sum(balances.pre) - sum(balances.post);
    if (execution.err !== null && (preflight || fee === 0n)) {
      this.#accounts.undo(before, after);
      return { ...execution, fee: fee === 0n ? null : fee };
    }
    this.#statuses.add(names, { slot: this.#slot, err: execution.err });
    const changed = this.#accounts.change(before, after, this.#slot);
    this.#land(transaction, execution, keys, balances, fee, changed);
    return undefined;
  }

  /** Tries a transaction without changing anything. */
  simulate(transaction: WireTransaction, options: { verifySignatures: boolean; anyBlockhash: boolean }): Simulation {
    this.tick();
    const early = options.anyBlockhash ? null : this.#refuse(transaction, namesOf(transaction));
    if (early !== null) {
      const err = options.verifySignatures && this.#isForged(transaction) ? 'SignatureFailure' : early;
      return { ...unexecuted(err), postAccounts: new Map() };
    }
    return this.engine.simulate(transaction.bytes, options.verifySignatures);
  }

  /** The status of a transaction that landed within the last 300 slots. */
  recentStatus(signature: Uint8Array): TransactionStatus | undefined {
    return this.#statuses.get(keyOf(signature));
  }

  isFinal(slot: number): boolean {
    return slot <= this.slotAt('finalized');
  }

  /** Resolves when all that happened so far is on disk. */
  async durable(): Promise<void> {
    await this.#store.durable();
  }

  // --- accounts ---

  account(address: Uint8Array, commitment: Commitment): Account | undefined {
    return commitment === 'finalized'
      ? this.#accounts.at(address, this.slotAt('finalized'))
      : this.#accounts.now(address);
  }

  /** All accounts that a program owns. */
  ownedBy(owner: Uint8Array, commitment: Commitment): Iterable<{ address: Uint8Array; account: Account }> {
    return this.#accounts.ownedBy(owner, this.slotAt(commitment));
  }

  /** Puts one of the genesis' own accounts in place. */
  endow(address: Uint8Array, account: Account): void {
    this.#accounts.put(address, account);
    this.#store.putAccount(address, account);
  }

  // --- inside ---

  #refuse(transaction: WireTransaction, names: TransactionNames): TransactionError | null {
    if (this.lastValidBlockHeight(transaction.message.blockhash) === undefined) return 'BlockhashNotFound';
    return this.#statuses.has(names) ? 'AlreadyProcessed' : null;
  }

  /** Whether a signature is wrong: that is told before any other reason to refuse. */
  #isForged(transaction: WireTransaction): boolean {
    return this.engine.simulate(transaction.bytes, true).err === 'SignatureFailure';
  }

  #land(
    transaction: WireTransaction,
    execution: Execution,
    keys: AccountKeys,
    balances: Balances,
    fee: bigint,
    changed: readonly ChangedAccount[],
  ): void {
    const slot = this.#slot;
    this.#transactionCount += 1;
    this.#store.land({
      signature: signatureOf(transaction),
      record: {
        slot,
        index: this.#nextIndex,
        blockTime: this.blockTime(slot),
        wire: transaction.bytes,
        err: execution.err,
        metaJson: transactionMetaJson(execution, keys, balances, fee),
      },
      addresses: keys.all,
      accounts: changed.map(({ address, account }) => ({ address: bytesOfKey(address), account })),
    });
    this.#nextIndex += 1;
    const { err, logs } = execution;
    this.#tell({ signature: signatureOf(transaction), slot, err, logs, mentions: keys.all, changed });
  }

  #tell(transaction: LandedTransaction): void {
    const tell = async (): Promise<void> => {
      await this.durable();
      this.emit('landed', transaction);
      if (this.isFinal(transaction.slot)) this.emit('finalized', transaction);
      else this.#unfinalized.push(transaction);
    };
    // Whoever sent the transaction gets the store's error; nobody else may hear of what is not on disk.
    tell().catch(() => undefined);
  }

  #tellFinalized(root: number): void {
    if ((this.#unfinalized[0]?.slot ?? Infinity) > root) return;
    const final = this.#unfinalized.filter((transaction) => transaction.slot <= root);
    this.#unfinalized = this.#unfinalized.filter((transaction) => transaction.slot > root);
    for (const transaction of final) this.emit('finalized', transaction);
  }

  #restoreStatuses(): void {
    for (const signature of this.#store.signaturesSince(Math.max(0, this.#slot - STATUS_SLOTS))) {
      const record = this.#store.transaction(signature);
      if (record === undefined) continue;
      this.#statuses.add(namesOf(parseTransaction(record.wire)), { slot: record.slot, err: record.err });
      if (record.slot === this.#slot) this.#nextIndex = record.index + 1;
    }
  }
}

function unexecuted(err: TransactionError): Execution {
  return { err, logs: [], innerInstructions: [], unitsConsumed: 0n, returnData: null };
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
