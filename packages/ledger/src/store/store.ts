/*
 * The ledger on disk: one LMDB environment with accounts, the log of transactions, snapshots, the clock, and who this ledger is.
 *
 * - A landed transaction is stored whole or not at all: its record, every account that it changed, what is needed to take it back.
 * - Transactions are a log by position; an index leads from an address to the positions about it. Reads in the order of the
 *   ledger are reads in the order of the disk.
 * - Commits are grouped: while one group is on its way to the disk, the next one gathers. A call that waits for a
 *   transaction is answered when its group is there, so "confirmed" survives a kill at any moment. After a failed write nothing is written any more, since
 *   what follows builds on what was lost.
 * - The undo log holds what accounts were at each snapshot, of those that have changed since: tests go back to one.
 * - One process owns a folder. The owner is named in the store itself, which a crash leaves behind and the next start sees through.
 *
 * The bank holds accounts in memory and never waits for this store to execute; it waits to tell.
 *
 * Invariants: the format says its number, a folder of an older one is brought up to date in place, and a folder of a newer one
 * is refused by name.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import type { Account } from '../bank/account.js';
import { bytesOfKey, type Key } from '../bank/keys.js';
import type { ClockState } from '../bank/slotClock.js';
import { UnsupportedDataFolderError } from '../errors.js';
import { closeEnvironment, openBytes, openEnvironment, openJson, type Bytes } from './environment.js';
import { GroupCommit } from './groupCommit.js';
import { History, type HistoryEntry } from './history.js';
import { giveUpOwnership, takeOwnership } from './ownership.js';
import { decodeAccount, encodeAccount, type Position, type TransactionRecord } from './records.js';
import { readRewards, writtenRewards, type EpochRewards } from './rewards.js';
import { UndoLog, type UndoEntry } from './undoLog.js';
import { upgradeFormat1 } from './upgrade.js';

/** Format 2 keeps transactions in a log by position; format 1 had them by signature. */
const FORMAT = 2;

/** The identity of this ledger, over all its runs. */
export type LedgerIdentity = {
  readonly format: number;
  /** Hex. Every blockhash and the genesis hash derive from it. */
  readonly salt: string;
  readonly genesisMs: number;
  /** The addresses of its active features; folders of earlier versions say none. */
  readonly features?: readonly string[];
  /** Without one, as many as on the public clusters. */
  readonly slotsPerEpoch?: number;
};

type ChangedAccounts = readonly { readonly address: Key; readonly account: Account | undefined }[];

/** Everything that one landed transaction changes, stored whole or not at all. Rule L-12. */
export type Landing = HistoryEntry & { readonly accounts: ChangedAccounts; readonly undo?: readonly UndoEntry[] };

/** A write: a landed transaction, accounts that no transaction made, snapshots, the time, or the ledger's identity. */
type Change = {
  readonly landing?: HistoryEntry;
  readonly accounts?: ChangedAccounts;
  readonly undo?: readonly UndoEntry[];
  /** All snapshots. */
  readonly snapshots?: readonly number[];
  readonly clock?: ClockState;
  readonly identity?: LedgerIdentity;
  readonly rewards?: { readonly epoch: number; readonly rewards: EpochRewards };
};

/** The ledger on disk, in one LMDB: accounts, the history of transactions, snapshots, clock and identity. */
export class Store {
  readonly dataDir: string;
  readonly #root: RootDatabase;
  readonly #meta: Database<unknown, string>;
  readonly #accounts: Bytes;
  readonly #history: History;
  readonly #undo: UndoLog;
  readonly #commits = new GroupCommit<Change>(async (changes) => this.#write(changes));

  /**
   * Opens or creates the store and takes ownership; brings a folder of format 1 up to date.
   *
   * @throws LedgerInUseError, UnsupportedDataFolderError, DamagedStoreError
   */
  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true });
    this.dataDir = realpathSync(dataDir);
    this.#root = openEnvironment(join(this.dataDir, 'ledger.lmdb'));
    this.#meta = openJson(this.#root, 'meta');
    takeOwnership(this.#root, this.#meta, this.dataDir);
    if (this.#storedIdentity()?.format === 1) upgradeFormat1(this.#root, this.#meta);
    this.#accounts = openBytes(this.#root, 'accounts');
    this.#history = new History(this.#root);
    this.#undo = new UndoLog(this.#root);
  }

  /** The ledger's identity, once its genesis is complete. @throws UnsupportedDataFolderError */
  identity(): LedgerIdentity | undefined {
    const found = this.#storedIdentity();
    if (found !== undefined && found.format !== FORMAT) {
      throw new UnsupportedDataFolderError(this.dataDir, found.format, FORMAT);
    }
    return found;
  }

  /**
   * Marks the genesis complete, or says more of who the ledger is. Until this is on disk, the next start
   * begins the genesis again.
   */
  async putIdentity(identity: Omit<LedgerIdentity, 'format'>): Promise<void> {
    await this.#commits.add({ identity: { format: FORMAT, ...identity } });
  }

  /** Removes everything. The identity goes first: without one, the next start begins the genesis again. */
  async clear(): Promise<void> {
    await this.#meta.remove('identity');
    await this.#root.flushed;
    const meta = ['clock', 'snapshots', 'unpaid epoch'].map((name) => this.#meta.remove(name));
    await Promise.all([this.#accounts.clearAsync(), this.#history.clear(), this.#undo.clear(), ...meta]);
    await this.#root.flushed;
  }

  clock(): ClockState | undefined {
    return this.#meta.get('clock') as ClockState | undefined;
  }

  putClock(clock: ClockState): void {
    void this.#commits.add({ clock });
  }

  /** Queues a landed transaction. Resolves when it is on disk: the same promise for all that are written together. */
  land(landing: Landing): Promise<void> {
    return this.#commits.add({ landing, accounts: landing.accounts, undo: landing.undo ?? [] });
  }

  /** Stores accounts that no transaction made; `undefined` removes one. Resolves when that is on disk. */
  putAccounts(
    accounts: ChangedAccounts,
    undo: readonly UndoEntry[] = [],
    snapshots?: readonly number[],
  ): Promise<void> {
    return this.#commits.add({ accounts, undo, ...(snapshots === undefined ? {} : { snapshots }) });
  }

  /** The snapshots that there are, the oldest first. */
  snapshots(): readonly number[] {
    return (this.#meta.get('snapshots') as readonly number[] | undefined) ?? [];
  }

  /** The former state of accounts at each snapshot. */
  undoEntries(): ReturnType<UndoLog['entries']> {
    return this.#undo.entries();
  }

  /** Queues the rewards of an epoch that is over; each epoch has some, if only none. */
  putRewards(epoch: number, rewards: EpochRewards): void {
    void this.#commits.add({ rewards: { epoch, rewards } });
  }

  /** The rewards of an epoch; undefined when they are not paid. */
  rewards(epoch: number): EpochRewards | undefined {
    return readRewards(this.#meta.get(`rewards ${epoch}`));
  }

  /** The first epoch whose rewards are not paid. */
  unpaidEpoch(): number {
    return (this.#meta.get('unpaid epoch') as number | undefined) ?? 0;
  }

  /** Resolves when everything queued so far is on disk. @throws Error when it could not be written */
  async durable(): Promise<void> {
    await this.#commits.durable;
  }

  *accounts(): Generator<{ address: Uint8Array; account: Account }> {
    for (const { key, value } of this.#accounts.getRange()) {
      yield { address: Uint8Array.from(key), account: decodeAccount(value) };
    }
  }

  /** How many transactions are stored. */
  transactionCount(): number {
    return this.#history.count();
  }

  /** The position of the latest transaction. */
  latest(): Position | undefined {
    return this.#history.latest();
  }

  transaction(signature: Uint8Array): TransactionRecord | undefined {
    return this.#history.find(signature);
  }

  /** Transactions from a position on, in landing order. */
  transactionsSince(position: Position, limit: number): Iterable<TransactionRecord> {
    return this.#history.since(position, limit);
  }

  transactionAt(position: Position): TransactionRecord | undefined {
    return this.#history.at(position);
  }

  /** The places of a slot's transactions in their order; with an address, only of those that name it. */
  placesIn(slot: number, address?: Uint8Array): number[] {
    return address === undefined ? this.#history.placesIn(slot) : this.#history.placesOf(address, slot);
  }

  /** Signatures that touched an address, latest first, strictly before a position. */
  signaturesOf(
    address: Uint8Array,
    before: Position | undefined,
  ): Iterable<Position & { readonly signature: Uint8Array }> {
    return this.#history.of(address, before ?? LAST_POSITION);
  }

  async close(): Promise<void> {
    await this.#commits.durable.catch(() => undefined);
    giveUpOwnership(this.#meta, this.dataDir);
    await closeEnvironment(this.#root);
  }

  #storedIdentity(): LedgerIdentity | undefined {
    return this.#meta.get('identity') as LedgerIdentity | undefined;
  }

  async #write(changes: readonly Change[]): Promise<void> {
    // A batch is one transaction of LMDB.
    const written = this.#root.batch(() => this.#put(changes));
    const flushed = Promise.resolve(this.#root.flushed);
    try {
      await written;
      await flushed;
    } catch (error) {
      // LMDB tells its own error later, once more.
      (error as { commitError?: Promise<never> }).commitError?.catch(() => undefined);
      throw new Error('the ledger could not write to its data folder', { cause: error });
    }
  }

  #put(changes: readonly Change[]): void {
    // Of several changes to an account the last one counts.
    const accounts = new Map<Key, Account | undefined>();
    for (const change of changes) {
      for (const { address, account } of change.accounts ?? []) accounts.set(address, account);
    }
    for (const [address, account] of accounts) void this.#writeAccount(bytesOfKey(address), account);
    this.#history.add(changes.flatMap(({ landing }) => landing ?? []));
    this.#undo.put(changes.flatMap(({ undo }) => undo ?? []));
    const snapshots = changes.findLast((change) => change.snapshots !== undefined)?.snapshots;
    if (snapshots !== undefined) void this.#meta.put('snapshots', snapshots);
    const clock = changes.findLast((change) => change.clock !== undefined)?.clock;
    if (clock !== undefined) void this.#meta.put('clock', clock);
    const identity = changes.find((change) => change.identity !== undefined)?.identity;
    if (identity !== undefined) void this.#meta.put('identity', identity);
    for (const { epoch, rewards } of changes.flatMap((change) => change.rewards ?? [])) {
      void this.#meta.put(`rewards ${epoch}`, writtenRewards(rewards));
      void this.#meta.put('unpaid epoch', epoch + 1);
    }
  }

  #writeAccount(address: Uint8Array, account: Account | undefined): Promise<boolean> {
    return account === undefined ? this.#accounts.remove(address) : this.#accounts.put(address, encodeAccount(account));
  }
}

const LAST_POSITION: Position = { slot: Number.MAX_SAFE_INTEGER, index: 0 };
