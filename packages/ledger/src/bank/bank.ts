import { EventEmitter, once } from 'node:events';
import type { Store } from '../store/store.js';
import type { Account } from './account.js';
import type { Trait } from './accountIndex.js';
import { Accounts, type FoundAccount } from './accounts.js';
import { Announcements, type BankEvents } from './announcements.js';
import { Blockhashes, lastHeightOf } from './blockhashes.js';
import { FINALITY_SLOTS, type Commitment } from './commitment.js';
import { Edits } from './edits.js';
import type { Engine } from './engine.js';
import { feeOf, paysFee } from './fees.js';
import { toBase58 } from './keys.js';
import { Lifetimes } from './lifetimes.js';
import { PastValue } from './pastAccounts.js';
import { PastStates } from './pastState.js';
import { RecentChanges } from './recentChanges.js';
import { RecentStatuses } from './recentStatuses.js';
import {
  refusalOf,
  runTransaction,
  tryTransaction,
  unsimulated,
  type Refusal,
  type Run,
  type Simulation,
} from './run.js';
import type { Signatures, VerifiedTransaction } from './signatures.js';
import type { SlotClock } from './slotClock.js';
import { Snapshots } from './snapshots.js';
import { namesOf, type TransactionStatus } from './statusCache.js';
import { recordOf } from './transactionMeta.js';
import { Stakes } from './stakes/stakes.js';
import { momentOf, Sysvars } from './sysvars.js';
import { signatureOf, type WireTransaction } from './wire.js';

export type BankOptions = {
  readonly salt: Uint8Array;
  readonly finality: 'delayed' | 'immediate';
};

/** Slots after which an idle ledger stores its time; a transaction's slot stores it too. */
const NOTE_SLOTS = 64;

/**
 * The ledger's state machine: orders, executes, stores, then notifies (L-11). Signatures are checked before; from there on no call
 * awaits, so none interleave.
 */
export class Bank extends EventEmitter<BankEvents> {
  readonly engine: Engine;
  readonly clock: SlotClock;
  /** The sum of all lamports, and the richest accounts. */
  readonly wealth: Pick<Accounts, 'supplyAt' | 'richestAt'>;
  /** Changes of accounts without a transaction. */
  readonly edits: Edits;
  readonly stakes: Stakes;
  readonly lifetimes: Lifetimes;
  readonly past: PastStates;
  readonly recent = new RecentChanges();
  readonly #store: Store;
  readonly #signatures: Signatures;
  readonly #finalityDelay: number;
  readonly #blockhashes: Blockhashes;
  readonly #sysvars: Sysvars;
  readonly #statuses: RecentStatuses;
  readonly #accounts: Accounts;
  readonly #snapshots: Snapshots;
  readonly #announcements: Announcements;
  #slot = -1;
  #nextIndex = 0;
  #notedSlot = 0;
  readonly #transactionCount = new PastValue();

  /** Rebuilds the state from the store. */
  constructor(store: Store, engine: Engine, signatures: Signatures, clock: SlotClock, options: BankOptions) {
    super();
    // Calls that wait for the end of a slot listen, and so may many.
    this.setMaxListeners(0);
    this.#store = store;
    this.engine = engine;
    this.#signatures = signatures;
    this.wealth = this.#accounts = new Accounts(engine);
    this.clock = clock;
    this.#finalityDelay = options.finality === 'immediate' ? 0 : Number(FINALITY_SLOTS);
    this.#blockhashes = new Blockhashes(options.salt);
    this.#sysvars = new Sysvars(
      engine,
      (slot) => this.#blockhash(slot),
      (slot) => momentOf(slot, this),
    );
    this.#statuses = new RecentStatuses(store);
    this.lifetimes = new Lifetimes({
      blockhashes: this.#blockhashes,
      statuses: this.#statuses,
      account: (address, at) => this.account(address, at),
      slotAt: (commitment) => this.slotAt(commitment),
    });
    this.#snapshots = new Snapshots(store);
    this.#announcements = new Announcements(this, (slot) => this.#rootOf(slot));
    this.edits = new Edits({
      store,
      accounts: this.#accounts,
      snapshots: this.#snapshots,
      announcements: this.#announcements,
      recent: this.recent,
      now: () => {
        this.tick();
        this.#noteTime();
        return this.#slot;
      },
      freshBlockhash: (slot) => this.#freshBlockhash(slot),
    });
    const [accounts, sysvars, edits] = [this.#accounts, this.#sysvars, this.edits];
    this.past = new PastStates({ engine, accounts, sysvars });
    const blockTime = (slot: number): number => this.blockTime(slot);
    this.stakes = new Stakes({ engine, accounts, edits, store, blockTime }, options.salt);
    this.#transactionCount.shift(BigInt(store.transactionCount()));
    this.tick();
    this.#accounts.restore(store, this.stakes.genesis);
    this.#statuses.restore();
    this.stakes.restore(this.#slot, this.#rootOf(this.#slot));
    const latest = store.latest();
    if (latest?.slot === this.#slot) this.#nextIndex = latest.index + 1;
  }

  /** Moves the ledger to the current slot. */
  tick(): void {
    const slot = this.clock.slot();
    if (slot <= this.#slot) return;
    this.#slot = slot;
    this.#nextIndex = 0;
    this.#sysvars.moveTo(slot);
    this.#statuses.moveTo(slot);
    this.lifetimes.slotBound.clear();
    const root = this.#rootOf(slot);
    this.#accounts.beginSlot(root);
    this.#transactionCount.forgetUpTo(root);
    this.stakes.moveTo(slot, root);
    this.#announcements.moveTo(slot);
    if (slot >= this.#notedSlot + NOTE_SLOTS) this.#noteTime();
  }

  /** Stores the ledger's time, which continues from there even if the wall clock is set back. */
  #noteTime(): void {
    this.#notedSlot = this.#slot;
    this.#store.putClock(this.clock.state());
  }

  /** The latest slot with this commitment; also the block height, since every slot has a block. */
  slotAt(commitment: Commitment): number {
    return commitment === 'finalized' ? this.#rootOf(this.#slot) : this.#slot;
  }

  /** The latest slot that is final while `slot` is the latest of all. */
  #rootOf(slot: number): number {
    return Math.max(0, slot - this.#finalityDelay);
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

  /** The blockhash of a slot's block. */
  blockhashAt(slot: number): string {
    return toBase58(this.#blockhash(slot));
  }

  /** A blockhash for a new transaction, another one after each that landed, and the last block height at which it serves. */
  latestBlockhash(commitment: Commitment): { readonly blockhash: string; readonly lastValidBlockHeight: number } {
    const slot = this.slotAt(commitment);
    return { blockhash: toBase58(this.#freshBlockhash(slot)), lastValidBlockHeight: lastHeightOf(slot) };
  }

  #blockhash(slot: number): Uint8Array {
    return this.#blockhashes.write({ slot, after: 0, landed: 0 });
  }

  #freshBlockhash(slot: number): Uint8Array {
    return this.#blockhashes.write({ slot, after: this.#slot - slot, landed: this.#nextIndex });
  }

  /** How many transactions have landed up to the latest slot with this commitment. */
  transactionCount(commitment: Commitment): bigint {
    return this.#transactionCount.at(this.slotAt(commitment));
  }

  /**
   * Checks a transaction's signatures and executes it, in the order of arrival (L-70). With a preflight, a failing one leaves no trace,
   * as if it had only been simulated (L-9); without, it pays its fee and is recorded (L-10). Subscribers are notified and
   * `durable()` resolves once it is on disk.
   *
   * @param preflight the commitment on whose state it must succeed; undefined: no preflight
   * @returns why it was refused; undefined when it landed, or when all that is known is that it passed a preflight at `finalized`
   */
  async submit(transaction: WireTransaction, preflight: Commitment | undefined): Promise<Refusal | undefined> {
    const arrived = this.#slot;
    const verified = await this.#signatures.verify(transaction);
    await this.#statuses.untilKnown(this.#blockhashes.givenIn(transaction.message.blockhash));
    this.tick();
    // A wrong signature comes before any other reason to refuse.
    if (verified === undefined) return refusalOf('SignatureFailure');
    const isPast = preflight !== undefined && this.slotAt(preflight) < this.#slot;
    const trial = isPast ? this.simulate(transaction, preflight, true) : undefined;
    if (trial && trial.err !== null) return { ...trial, fee: paysFee(trial) ? feeOf(transaction.message) : null };
    // As many as wait for the same are told at once, and one that runs may make the others wait again.
    while (this.lifetimes.mustWait(transaction, arrived, true)) await once(this, 'slot');
    const refusal = this.#execute(verified, isPast ? undefined : preflight);
    return isPast ? undefined : refusal;
  }

  #execute(transaction: VerifiedTransaction, preflight: Commitment | undefined): Refusal | undefined {
    const names = namesOf(transaction);
    const early = this.lifetimes.refuse(transaction.message, names, 'processed');
    if (early !== null) return refusalOf(early);
    const [slot, nonce] = [this.#slot, this.lifetimes.nonceOf(transaction.message, 'processed')];
    const freshBlockhash = (): Uint8Array => this.#freshBlockhash(slot);
    const options = { hasPreflight: preflight !== undefined, slot, nonce, freshBlockhash };
    const run = runTransaction(transaction, { engine: this.engine, accounts: this.#accounts }, options);
    if ('refusal' in run) return run.refusal;
    this.#statuses.add(names, { slot, err: run.execution.err });
    this.#land(transaction, run);
    return undefined;
  }

  /** Reports whether a signature of a transaction is wrong. */
  async isForged(transaction: WireTransaction): Promise<boolean> {
    return (await this.#signatures.verify(transaction)) === undefined;
  }

  /**
   * Simulates a transaction on the state of a commitment, whatever its signatures; nothing changes.
   *
   * @param mayLand true: its blockhash must be known there, and it must not have landed; false: any will do
   */
  simulate(transaction: WireTransaction, at: Commitment, mayLand: boolean): Simulation {
    this.tick();
    const { message } = transaction;
    const state = { engine: this.engine, accounts: this.#accounts };
    const early = mayLand ? this.lifetimes.refuse(message, namesOf(transaction), at) : null;
    const run = (): Simulation => (early === null ? tryTransaction(transaction, state) : unsimulated(early));
    if (this.slotAt(at) === this.#slot) return run();
    const simulation = early === null ? this.past.at(this.slotAt(at), message, run) : run();
    const passes = simulation.err !== null && this.simulate(transaction, 'confirmed', mayLand).err === null;
    return passes ? { ...simulation, passesAt: 'confirmed' } : simulation;
  }

  /** Resolves when all that a transaction names counts (L-29). @param mayLand as in `simulate` */
  async untilUsable(transaction: WireTransaction, mayLand: boolean): Promise<void> {
    const arrived = this.#slot;
    while (this.lifetimes.mustWait(transaction, arrived, mayLand)) await once(this, 'slot');
  }

  /** The status of a transaction that landed within the last 300 slots. */
  recentStatus(signature: Uint8Array): TransactionStatus | undefined {
    return this.#statuses.get(signature);
  }

  isFinal(slot: number): boolean {
    return slot <= this.slotAt('finalized');
  }

  /** Resolves when everything so far is on disk. */
  async durable(): Promise<void> {
    await this.#store.durable();
  }

  account(address: Uint8Array, commitment: Commitment): Account | undefined {
    return commitment === 'finalized'
      ? this.#accounts.at(address, this.slotAt('finalized'))
      : this.#accounts.now(address);
  }

  /** All accounts with a trait: those that a program owns, or the token accounts of a mint, owner or delegate. */
  find(trait: Trait, value: Uint8Array, commitment: Commitment): Iterable<FoundAccount> {
    return this.#accounts.find(trait, value, this.slotAt(commitment));
  }

  #land(transaction: VerifiedTransaction, run: Run): void {
    const [slot, signature] = [this.#slot, signatureOf(transaction)];
    const { execution, keys, changed } = run;
    const { err, logs } = execution;
    this.#transactionCount.add(slot, 1n);
    const record = recordOf(transaction, run, { slot, index: this.#nextIndex, blockTime: this.blockTime(slot) });
    this.lifetimes.slotBound.note(changed);
    const undo = this.#snapshots.note(changed);
    const onDisk = this.#store.land({ signature, record, addresses: keys.names, accounts: changed, undo });
    this.#nextIndex += 1;
    this.recent.add(signature, changed);
    this.#announcements.add({ signature, slot, err, logs, mentions: keys.all, changed }, onDisk);
  }
}
