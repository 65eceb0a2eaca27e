import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import type { Account } from '../bank/account.js';
import type { ClockState } from '../bank/slotClock.js';
import { UnsupportedDataFolderError } from '../errors.js';
import { giveUpOwnership, takeOwnership } from './ownership.js';
import {
  decodeAccount,
  decodePosition,
  decodeTransaction,
  encodeAccount,
  encodePosition,
  encodeTransaction,
  type TransactionRecord,
} from './records.js';

const FORMAT = 1;

/** What makes this ledger this ledger, over all its runs. */
export type LedgerIdentity = {
  readonly format: number;
  /** Hex. Every blockhash and the genesis hash derive from it. */
  readonly salt: string;
  readonly genesisMs: number;
};

/** Everything that one landed transaction changes, stored whole or not at all. Rule L-12. */
export type Landing = {
  readonly signature: Uint8Array;
  readonly record: TransactionRecord;
  readonly addresses: readonly Uint8Array[];
  readonly accounts: readonly { readonly address: Uint8Array; readonly account: Account | undefined }[];
};

type Bytes = Database<Uint8Array, Uint8Array>;

const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;

/** The ledger on disk, in one LMDB: accounts, the log of transactions with its indexes, clock and identity. */
export class Store {
  readonly dataDir: string;
  readonly #root: RootDatabase;
  readonly #meta: Database<unknown, string>;
  readonly #accounts: Bytes;
  readonly #transactions: Bytes;
  readonly #byPosition: Bytes;
  readonly #byAddress: Bytes;
  #pending: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  /** Opens or creates the store and takes ownership. @throws LedgerInUseError, UnsupportedDataFolderError */
  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true });
    this.dataDir = realpathSync(dataDir);
    const path = join(this.dataDir, 'ledger.lmdb');
    this.#root = open({ path, noSubdir: true, maxDbs: 8, encoding: 'json' });
    // Earlier versions left them readable by others.
    for (const file of [path, `${path}-lock`]) chmodSync(file, 0o600);
    this.#meta = this.#root.openDB<unknown, string>('meta', { encoding: 'json' });
    takeOwnership(this.#root, this.#meta, this.dataDir);
    this.#accounts = this.#root.openDB('accounts', binary);
    this.#transactions = this.#root.openDB('transactions', binary);
    this.#byPosition = this.#root.openDB('by-position', binary);
    this.#byAddress = this.#root.openDB('by-address', binary);
  }

  /** The ledger's identity, once its genesis is complete. @throws UnsupportedDataFolderError */
  identity(): LedgerIdentity | undefined {
    const found = this.#meta.get('identity') as LedgerIdentity | undefined;
    if (found !== undefined && found.format !== FORMAT) {
      throw new UnsupportedDataFolderError(this.dataDir, found.format, FORMAT);
    }
    return found;
  }

  /** Marks the genesis complete. Until this is on disk, the next start begins the genesis again. */
  async completeGenesis(identity: Omit<LedgerIdentity, 'format'>): Promise<void> {
    this.#note(this.#meta.put('identity', { format: FORMAT, ...identity } satisfies LedgerIdentity));
    await this.durable();
  }

  /** Removes what an unfinished genesis left. */
  async clear(): Promise<void> {
    await Promise.all(
      [this.#accounts, this.#transactions, this.#byPosition, this.#byAddress].map((database) => database.clearAsync()),
    );
    await this.#meta.remove('clock');
    await this.#root.flushed;
  }

  clock(): ClockState | undefined {
    return this.#meta.get('clock') as ClockState | undefined;
  }

  putClock(clock: ClockState): void {
    this.#note(this.#meta.put('clock', clock));
  }

  /** Queues a landed transaction for the next group commit; `durable` resolves when it is on disk. */
  land(landing: Landing): void {
    const { signature, record, addresses } = landing;
    const position = encodePosition(record.slot, record.index);
    // Puts of the same event-loop tick share one LMDB transaction, so none of these is ever stored without the others.
    for (const { address, account } of landing.accounts) void this.#writeAccount(address, account);
    for (const address of addresses) void this.#byAddress.put(Buffer.concat([address, position]), signature);
    void this.#byPosition.put(position, signature);
    this.#note(this.#transactions.put(signature, encodeTransaction(record)));
  }

  /** Stores an account that no transaction made; `undefined` removes it. */
  putAccount(address: Uint8Array, account: Account | undefined): void {
    this.#note(this.#writeAccount(address, account));
  }

  /** Resolves when everything queued so far is on disk. @throws Error when it could not be written */
  async durable(): Promise<void> {
    await this.#pending;
    if (this.#failure !== undefined) throw this.#failure;
  }

  *accounts(): Generator<{ address: Uint8Array; account: Account }> {
    for (const { key, value } of this.#accounts.getRange()) {
      yield { address: Uint8Array.from(key), account: decodeAccount(value) };
    }
  }

  /** How many transactions are stored. */
  transactionCount(): number {
    return (this.#transactions.getStats() as { readonly entryCount: number }).entryCount;
  }

  /** The slot of the latest transaction; 0 when there is none. */
  latestSlot(): number {
    for (const { key } of this.#byPosition.getRange({ reverse: true, limit: 1 }))
      return decodePosition(Uint8Array.from(key)).slot;
    return 0;
  }

  transaction(signature: Uint8Array): TransactionRecord | undefined {
    const found = this.#transactions.get(signature);
    return found === undefined ? undefined : decodeTransaction(found);
  }

  /** Signatures from a slot on, in landing order. */
  *signaturesSince(slot: number): Generator<Uint8Array> {
    for (const { value } of this.#byPosition.getRange({ start: encodePosition(slot, 0) })) yield Uint8Array.from(value);
  }

  /** Signatures that touched an address, latest first, strictly before a position. */
  *signaturesOf(
    address: Uint8Array,
    before: { readonly slot: number; readonly index: number } | undefined,
  ): Generator<{ signature: Uint8Array; slot: number; index: number }> {
    const newest = before === undefined ? LAST_POSITION : encodePosition(before.slot, before.index);
    const range = this.#byAddress.getRange({
      start: Buffer.concat([address, newest]),
      exclusiveStart: true,
      end: Buffer.concat([address, encodePosition(0, 0)]),
      inclusiveEnd: true,
      reverse: true,
    });
    for (const { key, value } of range) {
      yield { signature: Uint8Array.from(value), ...decodePosition(Uint8Array.from(key.subarray(32))) };
    }
  }

  async close(): Promise<void> {
    await this.#pending;
    giveUpOwnership(this.#meta, this.dataDir);
    await this.#root.close();
  }

  #writeAccount(address: Uint8Array, account: Account | undefined): Promise<boolean> {
    return account === undefined ? this.#accounts.remove(address) : this.#accounts.put(address, encodeAccount(account));
  }

  #note(write: Promise<boolean>): void {
    const flushed = this.#root.flushed;
    this.#pending = write
      .then(() => flushed)
      .then(
        () => undefined,
        (error: unknown) => {
          this.#failure ??= new Error('the ledger could not write to its data folder', { cause: error });
        },
      );
  }
}

const LAST_POSITION = new Uint8Array(12).fill(0xff);
