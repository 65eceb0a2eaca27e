import type { Account } from '../bank/account.js';
import { extendedAtGenesis } from '../bank/accountKeys.js';
import type { Bank } from '../bank/bank.js';
import { fromBase58, keyOf, bytesOfKey, toBase58, type Key } from '../bank/keys.js';
import { nonceHashOf, renewNonce } from '../bank/nonces.js';
import { whyOwn, codeAddressOf, deployedAtGenesis, isCode } from '../bank/programs.js';
import { isTokenProgram, looksLikeTokenAccount } from '../bank/token.js';
import type { AddressedAccount } from '../bank/accounts.js';
import { UnfitAccountError } from '../bank/engine.js';
import { RemoteError } from '../errors.js';
import type { Store } from '../store/store.js';
import { RemoteNode } from './remoteNode.js';

/** Lets so many run at once; the others wait for their turn. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number) {
    this.#free = width;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((turn) => this.#waiting.push(turn));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

const LOOKUP_TABLES = keyOf(fromBase58('AddressLookupTab1e1111111111111111111111111'));

/** The accounts that a cluster keeps of itself, by owner. */
const OF_THE_CLUSTER = new Map(
  [
    ['Vote111111111111111111111111111111111111111', 'a vote account'],
    ['Stake11111111111111111111111111111111111111', 'a stake account'],
    ['Feature111111111111111111111111111111111111', 'a feature'],
  ].map(([owner = '', what = '']) => [keyOf(fromBase58(owner)), what]),
);

/** Why an account of another cluster is never taken over: it tells of that cluster; undefined: it may be. */
function whyNotTaken(address: Uint8Array, account: Account): string | undefined {
  return whyOwn(address, account) ?? OF_THE_CLUSTER.get(keyOf(account.owner));
}

/**
 * An account of another cluster as it serves here, where slots are younger: code and lookup tables count from slot 0. A nonce gets
 * another hash, so that no transaction signed here can land there. Rule L-80.
 */
function adapt(account: Account, bank: Bank): Account {
  if (isCode(account)) return deployedAtGenesis(account);
  if (keyOf(account.owner) === LOOKUP_TABLES) return extendedAtGenesis(account);
  return renewNonce(account, nonceHashOf(fromBase58(bank.latestBlockhash('processed').blockhash)));
}

/** The account that another one is useless without: the code of a program, the mint of tokens. */
function companionOf(account: Account): Uint8Array | undefined {
  const isToken = isTokenProgram(account.owner) && looksLikeTokenAccount(account.data);
  return isToken ? account.data.subarray(0, 32) : codeAddressOf(account);
}

/** Addresses without an account are remembered, so many of them. */
const KEPT_ANSWERS = 100_000;
/** The most that one run takes over, in bytes: the ledger keeps its accounts in memory. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Why an address stays without an account. */
type Absence = {
  readonly why: string /** The other cluster has one that cannot serve here. */;
  readonly isUnfit: boolean;
};

/** Brings accounts of another cluster here, each once. Nothing is ever written there. */
export class Fork {
  readonly #remote: RemoteNode;
  readonly #bank: Bank;
  readonly #store: Store;
  readonly #absent = new Map<Key, Absence>();
  readonly #onTheWay = new Map<Key, Promise<void>>();
  #bytes = 0;

  /** @throws RemoteError when `url` is no address of a node */
  constructor(url: string, bank: Bank, store: Store) {
    this.#remote = new RemoteNode(url);
    this.#bank = bank;
    this.#store = store;
  }

  /**
   * Takes over accounts that the ledger lacks. Accounts that the other cluster lacks, too, stay empty, and so do those that tell of that cluster.
   *
   * @throws RemoteError when it does not say, or one is a program that does not load here
   */
  async bring(addresses: readonly Uint8Array[]): Promise<void> {
    const keys = [...new Set(addresses.map(keyOf))];
    const open = keys.filter((key) => this.#isOpen(key));
    const fresh = open.filter((key) => !this.#onTheWay.has(key));
    if (fresh.length > 0) {
      const fetching = this.#fetch(fresh.map(bytesOfKey)).finally(() => {
        for (const key of fresh) this.#onTheWay.delete(key);
      });
      for (const key of fresh) this.#onTheWay.set(key, fetching);
    }
    await Promise.all(open.flatMap((key) => this.#onTheWay.get(key) ?? []));
    for (const key of keys) {
      const absence = this.#absent.get(key);
      if (absence?.isUnfit === true) throw this.#fail(key, absence.why);
    }
  }

  /**
   * Takes over these accounts, unless the ledger has them or had them.
   *
   * @param programs those of them that have to be upgradeable programs
   * @throws RemoteError when one cannot be taken over
   */
  async clone(addresses: readonly Uint8Array[], programs: readonly Uint8Array[] = []): Promise<void> {
    for (const address of addresses) {
      const own = whyOwn(address, this.#bank.account(address, 'processed'));
      if (own !== undefined) throw this.#fail(keyOf(address), `is ${own}, which each ledger has of its own`);
    }
    await this.bring(addresses);
    for (const address of addresses) {
      const absence = this.#absent.get(keyOf(address));
      if (absence !== undefined) throw this.#fail(keyOf(address), absence.why);
    }
    for (const address of programs) {
      const isProgram = codeAddressOf(this.#bank.account(address, 'processed')) !== undefined;
      if (!isProgram) throw this.#fail(keyOf(address), 'is no upgradeable program');
    }
  }

  /** The accounts as they are on the other cluster now; undefined where it has none that serves here. @throws RemoteError */
  async read(addresses: readonly Uint8Array[]): Promise<AddressedAccount[]> {
    const accounts = await this.#remote.accounts(addresses);
    return addresses.map((address, index) => {
      const account = accounts[index];
      const isTaken = account !== undefined && whyNotTaken(address, account) === undefined;
      return { address, account: isTaken ? adapt(account, this.#bank) : undefined };
    });
  }

  /** Leaves addresses empty whose accounts were removed here without a transaction, until the next start. */
  leaveEmpty(addresses: readonly Uint8Array[]): void {
    for (const address of addresses) this.#remember(keyOf(address), { why: 'was removed here', isUnfit: false });
  }

  /** Reports whether the ledger has nothing at an address, and never had: an address that a transaction here named is its own. */
  #isOpen(key: Key): boolean {
    const address = bytesOfKey(key);
    if (this.#absent.has(key) || this.#bank.account(address, 'processed') !== undefined) return false;
    const [own] = this.#store.signaturesOf(address, undefined);
    return own === undefined;
  }

  async #fetch(addresses: readonly Uint8Array[]): Promise<void> {
    const found = await this.#ask(addresses);
    const companions = [...found.values()].flatMap((account) => (account && companionOf(account)) ?? []);
    const missing = [...new Set(companions.map(keyOf))].filter((key) => !found.has(key) && this.#isOpen(key));
    const all = new Map([...(missing.length === 0 ? [] : await this.#ask(missing.map(bytesOfKey))), ...found]);
    for (const key of found.keys()) this.#take(key, all);
  }

  async #ask(addresses: readonly Uint8Array[]): Promise<Map<Key, Account | undefined>> {
    const accounts = await this.#remote.accounts(addresses);
    return new Map(addresses.map((address, index) => [keyOf(address), accounts[index]]));
  }

  /** Takes over one of what was found together with what it is of no use without, or neither. */
  #take(key: Key, found: ReadonlyMap<Key, Account | undefined>): void {
    const account = found.get(key);
    const companion = account && companionOf(account);
    const unit = companion === undefined ? [key] : [keyOf(companion), key];
    // The ledger may have got one while the other node was asked.
    const wanted = unit.filter((one) => found.has(one) && this.#isOpen(one));
    const taken = wanted.flatMap((one) => this.#adapted(one, found.get(one)) ?? []);
    if (taken.length === 0) return;
    this.#bytes += taken.reduce((sum, one) => sum + one.account.data.length, 0);
    if (this.#bytes > MAX_BYTES) throw this.#fail(key, `is too much: ${MAX_BYTES / 1024 ** 2} MiB were copied already`);
    try {
      this.#bank.edits.adopt(taken);
    } catch (error) {
      if (!(error instanceof UnfitAccountError)) throw error;
      this.#remember(key, { why: `is a program that does not load here: ${error.message}`, isUnfit: true });
    }
  }

  #adapted(key: Key, account: Account | undefined): { address: Uint8Array; account: Account } | undefined {
    const address = bytesOfKey(key);
    const what = account && whyNotTaken(address, account);
    if (account !== undefined && what === undefined) return { address, account: adapt(account, this.#bank) };
    this.#remember(key, { why: what === undefined ? 'does not exist there' : `is ${what} there`, isUnfit: false });
    return undefined;
  }

  #remember(key: Key, absence: Absence): void {
    const [oldest] = this.#absent.size >= KEPT_ANSWERS ? this.#absent.keys() : [];
    if (oldest !== undefined) this.#absent.delete(oldest);
    this.#absent.set(key, absence);
  }

  #fail(key: Key, why: string): RemoteError {
    return new RemoteError(this.#remote.host, `${toBase58(bytesOfKey(key))} ${why}`);
  }
}
