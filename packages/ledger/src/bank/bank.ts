import { EventEmitter, once } from 'node:events';
import type { Store } from '../store/store.js';
import type { Account } from './account.js';
import type { Trait } from './accountIndex.js';
import { Accounts, type AddressedAccount, type ChangedAccount, type FoundAccount } from './accounts.js';
import { namesFreshEntry, resolveAccountKeys, type AccountKeys } from './accountKeys.js';
import { Blockhashes, lastHeightOf } from './blockhashes.js';
import { FINALITY_SLOTS, type Commitment } from './commitment.js';
import { SLOTS_PER_EPOCH, type Engine, type Execution, type Simulation } from './engine.js';
import { bytesOfKey, keyOf, toBase58 } from './keys.js';
import { nonceNamedBy } from './nonces.js';
import type { SlotClock } from './slotClock.js';
import { namesOf, StatusCache, STATUS_SLOTS, type TransactionNames, type TransactionStatus } from './statusCache.js';
import { tokenBalances } from './tokenBalances.js';
import { transactionMetaJson, type Balances } from './transactionMeta.js';
import type { TransactionError } from './transactionError.js';
import { Sysvars } from './sysvars.js';
import { parseTransaction, signatureOf, type WireTransaction } from './wire.js';

/** Accounts that changed together, on disk, as subscribers see it. */
export type Change = {
  readonly slot: number;
  readonly changed: readonly ChangedAccount[];
};

/** A transaction that is on disk, as subscribers see it. */
export type LandedTransaction = Change & {
  readonly signature: Uint8Array;
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  /** The accounts that it names. */
  readonly mentions: readonly Uint8Array[];
};

export type BankEvents = {
  /** A slot began. */
  slot: [slot: { readonly slot: number; readonly root: number }];
  /** A transaction is on disk: processed and confirmed. */
  landed: [transaction: LandedTransaction];
  /** A landed transaction became final. */
  finalized: [transaction: LandedTransaction];
  /** Accounts were set without a transaction, and that is on disk. */
  set: [change: Change];
  /** Accounts that were set became final so. */
  setFinally: [change: Change];
};

/** Why a transaction was refused, or how its preflight failed. It leaves no trace. */
export type Refusal = Execution & { readonly fee: bigint | null };

export type BankOptions = {
  readonly salt: Uint8Array;
  readonly finality: 'delayed' | 'immediate';
};

/** Slots to announce one by one after the process was held up, at most; older ones are skipped. */
const MAX_CATCH_UP = 64;

/** Slots after which an idle ledger stores its time; a transaction's slot stores it too. */
const NOTE_SLOTS = 64;

/** The ledger's state machine: orders, executes, stores, then notifies (L-11). No call awaits, so none interleave. */
export class Bank extends EventEmitter<BankEvents> {
  readonly engine: Engine;
  readonly clock: SlotClock;
  readonly #store: Store;
  readonly #finalityDelay: number;
  readonly #blockhashes: Blockhashes;
  readonly #sysvars: Sysvars;
  readonly #statuses = new StatusCache();
  readonly #accounts: Accounts;
  #unfinalized: (LandedTransaction | Change)[] = [];
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
    this.#blockhashes = new Blockhashes(options.salt);
    this.#sysvars = new Sysvars(
      (address, data) => engine.setSysvar(address, data),
      (slot) => this.#blockhash(slot),
    );
    this.#transactionCount = store.transactionCount();
    this.tick();
    this.#accounts.restore(store);
    this.#restoreStatuses();
  }

  // --- time ---

  /** Moves the ledger to the current slot. */
  tick(): void {
    const slot = this.clock.slot();
    if (slot <= this.#slot) return;
    const previous = this.#slot;
    this.#slot = slot;
    this.#nextIndex = 0;
    const epoch = Math.floor(slot / Number(SLOTS_PER_EPOCH));
    const epochStart = this.blockTime(epoch * Number(SLOTS_PER_EPOCH));
    this.#sysvars.moveTo({ slot, epoch, epochStart, now: this.blockTime(slot) });
    this.#statuses.moveTo(slot);
    const root = this.slotAt('finalized');
    this.#accounts.forgetUpTo(root);
    for (let begun = Math.max(previous + 1, slot - MAX_CATCH_UP); begun <= slot; begun += 1) {
      this.emit('slot', { slot: begun, root: Math.max(0, begun - this.#finalityDelay) });
    }
    this.#notifyFinalized(root);
    if (slot >= this.#notedSlot + NOTE_SLOTS) this.#noteTime();
  }

  /** Stores the ledger's time, which continues from there even if the wall clock is set back. */
  #noteTime(): void {
    this.#notedSlot = this.#slot;
    this.#store.putClock(this.clock.state());
  }

  /** The latest slot with this commitment; also the block height, since every slot has a block. */
  slotAt(commitment: Commitment): number {
    return commitment === 'finalized' ? Math.max(0, this.#slot - this.#finalityDelay) : this.#slot;
  }

  /** When a slot began, in seconds since 1970. */
  blockTime(slot: number): number {
    return Math.floor(this.clock.slotStartMs(slot) / 1000);
  }

  /** Moves time forward. Resolves when that is on disk. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.#noteTime();
    this.tick();
    await this.#store.durable();
  }

  // --- blockhashes ---

  /** The blockhash of a slot's block. */
  blockhashAt(slot: number): string {
    return toBase58(this.#blockhash(slot));
  }

  /** A blockhash for a new transaction, another one after each that landed, and the last block height at which it serves. */
  latestBlockhash(commitment: Commitment): { readonly blockhash: string; readonly lastValidBlockHeight: number } {
    const slot = this.slotAt(commitment);
    return { blockhash: toBase58(this.#freshBlockhash(slot)), lastValidBlockHeight: lastHeightOf(slot) };
  }

  /**
   * The last block height at which a transaction may name this blockhash.
   *
   * @returns undefined when the state of this commitment does not know it, or no longer takes it
   */
  lastValidBlockHeight(blockhash: Uint8Array, commitment: Commitment): number | undefined {
    const slot = this.#blockhashes.slotOf(blockhash);
    const now = this.slotAt(commitment);
    return slot === undefined || slot > now || lastHeightOf(slot) < now ? undefined : lastHeightOf(slot);
  }

  #blockhash(slot: number): Uint8Array {
    return this.#blockhashes.write({ slot, after: 0, landed: 0 });
  }

  #freshBlockhash(slot: number): Uint8Array {
    return this.#blockhashes.write({ slot, after: this.#slot - slot, landed: this.#nextIndex });
  }

  // --- transactions ---

  get transactionCount(): number {
    return this.#transactionCount;
  }

  /**
   * Executes a transaction at once. With a preflight, a failing one leaves no trace, as if it had only been simulated
   * (L-9); without, it pays its fee and is recorded (L-10). Subscribers are notified and `durable()` resolves once it is
   * on disk.
   *
   * @param preflight the commitment at which its blockhash must be known; undefined: no preflight
   * @returns why it was refused; undefined when it landed
   */
  submit(transaction: WireTransaction, preflight: Commitment | undefined): Refusal | undefined {
    this.tick();
    const { message } = transaction;
    const names = namesOf(transaction);
    const nonce = this.#nonceOf(message);
    const early = this.#refuse(transaction, names, nonce, preflight ?? 'processed');
    if (early !== null) return { ...unexecuted(this.#isForged(transaction) ? 'SignatureFailure' : early), fee: null };
    const keys = resolveAccountKeys(message, (address) => this.#accounts.now(address));
    const before = this.#accounts.writable(keys);
    const execution = this.engine.execute(transaction.bytes);
    const after = this.#accounts.writable(keys);
    const balances: Balances = {
      pre: this.#accounts.balances(keys, before),
      post: this.#accounts.balances(keys, after),
      preTokens: tokenBalances(message, keys, this.#accounts.readerOf(before)),
      postTokens: tokenBalances(message, keys, this.#accounts.readerOf(after)),
    };
    // A transaction only moves lamports, so the difference is the fee.
    const fee = sum(balances.pre) - sum(balances.post);
    if (execution.err !== null && (preflight !== undefined || fee === 0n)) {
      this.#accounts.undo(before, after);
      return { ...execution, fee: fee === 0n ? null : fee };
    }
    this.#statuses.add(names, { slot: this.#slot, err: execution.err });
    const failed = execution.err === null ? undefined : nonce;
    const advanced = this.#accounts.advanceNonces(after, failed, () => this.#freshBlockhash(this.#slot));
    const changed = this.#accounts.change(before, advanced, this.#slot);
    this.#land(transaction, execution, keys, balances, fee, changed);
    return undefined;
  }

  /** Simulates a transaction; nothing changes. Without `blockhashAt`, any blockhash will do. */
  simulate(
    transaction: WireTransaction,
    { verifySignatures, blockhashAt }: { verifySignatures: boolean; blockhashAt: Commitment | undefined },
  ): Simulation {
    this.tick();
    const nonce = this.#nonceOf(transaction.message);
    const early =
      blockhashAt === undefined ? null : this.#refuse(transaction, namesOf(transaction), nonce, blockhashAt);
    if (early !== null) {
      const err = verifySignatures && this.#isForged(transaction) ? 'SignatureFailure' : early;
      return { ...unexecuted(err), postAccounts: new Map() };
    }
    return this.engine.simulate(transaction.bytes, verifySignatures);
  }

  /** Resolves when every entry of a lookup table that the transaction names counts: from the slot after its own. Rule L-29. */
  async untilLoadable({ message }: WireTransaction): Promise<void> {
    while (namesFreshEntry(message, (address) => this.#accounts.now(address), this.#slot)) await once(this, 'slot');
  }

  /** The status of a transaction that landed within the last 300 slots. */
  recentStatus(signature: Uint8Array): TransactionStatus | undefined {
    return this.#statuses.get(keyOf(signature));
  }

  isFinal(slot: number): boolean {
    return slot <= this.slotAt('finalized');
  }

  /** Resolves when everything so far is on disk. */
  async durable(): Promise<void> {
    await this.#store.durable();
  }

  // --- accounts ---

  account(address: Uint8Array, commitment: Commitment): Account | undefined {
    return commitment === 'finalized'
      ? this.#accounts.at(address, this.slotAt('finalized'))
      : this.#accounts.now(address);
  }

  /** All accounts with a trait: those that a program owns, or the token accounts of a mint, owner or delegate. */
  find(trait: Trait, value: Uint8Array, commitment: Commitment): Iterable<FoundAccount> {
    return this.#accounts.find(trait, value, this.slotAt(commitment));
  }

  /** Sets an account that the genesis makes without a transaction. */
  endow(address: Uint8Array, account: Account): void {
    this.#accounts.put(address, account);
    this.#store.putAccount(address, account);
  }

  /**
   * Sets accounts without a transaction, all or none; `undefined` removes one. Subscribers are notified and `durable()`
   * resolves once that is on disk. Rule L-75.
   *
   * @throws UnfitAccountError when one is a program that does not load
   */
  setAccounts(accounts: readonly AddressedAccount[]): void {
    this.tick();
    const { before, after } = this.#accounts.set(accounts);
    const changed = this.#accounts.change(before, after, this.#slot);
    for (const { address, account } of changed) this.#store.putAccount(bytesOfKey(address), account);
    this.#noteTime();
    this.#notify({ slot: this.#slot, changed });
  }

  #refuse(
    transaction: WireTransaction,
    names: TransactionNames,
    nonce: Uint8Array | undefined,
    commitment: Commitment,
  ): TransactionError | null {
    const { blockhash } = transaction.message;
    if (nonce === undefined && this.lastValidBlockHeight(blockhash, commitment) === undefined)
      return 'BlockhashNotFound';
    return this.#statuses.has(names) ? 'AlreadyProcessed' : null;
  }

  #nonceOf(message: WireTransaction['message']): Uint8Array | undefined {
    return nonceNamedBy(message, (address) => this.#accounts.now(address));
  }

  /** Whether a signature is wrong: this takes precedence over any other reason to refuse. */
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
    this.#notify({ signature: signatureOf(transaction), slot, err, logs, mentions: keys.all, changed });
  }

  #notify(change: LandedTransaction | Change): void {
    const notify = async (): Promise<void> => {
      await this.durable();
      if (isTransaction(change)) this.emit('landed', change);
      else this.emit('set', change);
      if (this.isFinal(change.slot)) this.#emitFinal(change);
      else this.#unfinalized.push(change);
    };
    // The sender gets the store's error. Nobody else may learn of a transaction that is not on disk.
    notify().catch(() => undefined);
  }

  #notifyFinalized(root: number): void {
    if ((this.#unfinalized[0]?.slot ?? Infinity) > root) return;
    const final = this.#unfinalized.filter(({ slot }) => slot <= root);
    this.#unfinalized = this.#unfinalized.filter(({ slot }) => slot > root);
    for (const change of final) this.#emitFinal(change);
  }

  #emitFinal(change: LandedTransaction | Change): void {
    if (isTransaction(change)) this.emit('finalized', change);
    else this.emit('setFinally', change);
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

function isTransaction(change: LandedTransaction | Change): change is LandedTransaction {
  return 'signature' in change;
}

function unexecuted(err: TransactionError): Execution {
  return { err, logs: [], innerInstructions: [], unitsConsumed: 0n, returnData: null };
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
