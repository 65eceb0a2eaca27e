import type { Account } from './account.js';
import { type Key, keyOf } from './keys.js';
import { codeAddressOf } from './programs.js';
import { isTokenProgram, looksLikeTokenAccount } from './token.js';

/** The facts that a transaction has to know of an account that it only reads. */
export type Outline = {
  readonly lamports: bigint;
  /** Of its data. */
  readonly bytes: number;
  /** Where the code is, if it is an upgradeable program. */
  readonly code: Uint8Array | undefined;
};

export function outlineOf(account: Account | undefined): Outline | undefined {
  return account && { lamports: account.lamports, bytes: account.data.length, code: codeAddressOf(account) };
}

/** Accounts of which outlines are kept at most: anybody can name others. */
const MOST = 10_000;

/** Outlines of accounts, kept at hand: reading one copies the account, of programs hundreds of kilobytes. */
export class Outlines {
  readonly #read: (address: Uint8Array, name: Key) => Account | undefined;
  readonly #kept = new Map<Key, Outline | undefined>();

  constructor(read: (address: Uint8Array, name: Key) => Account | undefined) {
    this.#read = read;
  }

  of(address: Uint8Array, name: Key): Outline | undefined {
    const kept = this.#kept.get(name);
    if (kept !== undefined || this.#kept.has(name)) return kept;
    const outline = outlineOf(this.#read(address, name));
    if (this.#kept.size >= MOST) this.#kept.clear();
    this.#kept.set(name, outline);
    return outline;
  }

  forget(name: Key): void {
    this.#kept.delete(name);
  }

  clear(): void {
    this.#kept.clear();
  }
}

/** How many accounts are kept at least, far more than anybody asks for: a search takes as long as there are accounts. */
const KEPT = 1000;

/** The accounts with the most lamports, kept up to date with every change. */
export class Richest {
  readonly #most = new Map<Key, bigint>();
  /** No account that is left out has more. */
  #floor = 0n;

  /** Reports whether `count` accounts are known, or all that exist. */
  has(count: number): boolean {
    return this.#floor === 0n || this.#most.size >= count;
  }

  keys(): Iterable<Key> {
    return this.#most.keys();
  }

  update(address: Key, lamports: bigint): void {
    if (lamports <= this.#floor) {
      this.#most.delete(address);
      return;
    }
    this.#most.set(address, lamports);
    if (this.#most.size > 2 * KEPT) this.#trim();
  }

  /** Begins again; the caller updates with every account. */
  clear(): void {
    this.#most.clear();
    this.#floor = 0n;
  }

  #trim(): void {
    const poorer = [...this.#most].sort(([, one], [, other]) => (one > other ? -1 : 1)).slice(KEPT);
    this.#floor = poorer[0]?.[1] ?? 0n;
    for (const [address] of poorer) this.#most.delete(address);
  }
}

/** By what accounts are found. Mint, owner and delegate are those of token accounts. */
export type Trait = 'program' | 'mint' | 'tokenOwner' | 'delegate';

const TOKEN_TRAITS = ['mint', 'tokenOwner', 'delegate'] as const;

/** The key that an account is found by; undefined when it has no such trait. */
export function traitOf(account: Account, trait: Trait): Key | undefined {
  if (trait === 'program') return keyOf(account.owner);
  const { data } = account;
  if (!isTokenProgram(account.owner) || !looksLikeTokenAccount(data)) return undefined;
  if (trait === 'mint') return keyOf(data.subarray(0, 32));
  if (trait === 'tokenOwner') return keyOf(data.subarray(32, 64));
  const hasDelegate = data[72] === 1 && data[73] === 0 && data[74] === 0 && data[75] === 0;
  return hasDelegate ? keyOf(data.subarray(76, 108)) : undefined;
}

/**
 * Finds accounts by their program, and token accounts by mint, owner and delegate, without going through all. It also
 * finds those that lost the trait in a slot that is not final yet, for reads at `finalized`: check what you find.
 */
export class AccountIndex {
  readonly #members = {
    program: new Members(),
    mint: new Members(),
    tokenOwner: new Members(),
    delegate: new Members(),
  } as const satisfies Record<Trait, Members>;

  /** Notes how an account changed in a slot. */
  update(address: Key, before: Account | undefined, after: Account | undefined, slot: number): void {
    const program = after && keyOf(after.owner);
    const kept = before !== undefined && after !== undefined && Buffer.compare(before.owner, after.owner) === 0;
    // Also when it had the trait: the engine begins with accounts that no index knows.
    this.#members.program.move(address, kept ? program : before && keyOf(before.owner), program, slot);
    if (!isOfTokens(before) && !isOfTokens(after)) return;
    for (const trait of TOKEN_TRAITS) {
      this.#members[trait].move(address, before && traitOf(before, trait), after && traitOf(after, trait), slot);
    }
  }

  /** The accounts that have the trait now or had it after the last final slot. */
  find(trait: Trait, value: Key): Iterable<Key> {
    return this.#members[trait].of(value);
  }

  /** All accounts, and those that ended after the last final slot. */
  *all(): Generator<Key> {
    for (const members of this.#members.program.all()) yield* members;
  }

  /** Forgets who lost a trait in this slot or earlier. */
  forgetUpTo(slot: number): void {
    for (const members of Object.values(this.#members)) members.forgetUpTo(slot);
  }
}

function isOfTokens(account: Account | undefined): boolean {
  return account !== undefined && isTokenProgram(account.owner);
}

const STILL = Number.POSITIVE_INFINITY;

/** Which accounts have which value, and when those left that no longer have it. */
class Members {
  readonly #leftIn = new Map<Key, Map<Key, number>>();
  #leavers: { readonly value: Key; readonly address: Key; readonly slot: number }[] = [];

  /** Takes an account from one value to another, or to the same. */
  move(address: Key, from: Key | undefined, to: Key | undefined, slot: number): void {
    if (from !== undefined && from !== to) {
      this.#leftIn.get(from)?.set(address, slot);
      this.#leavers.push({ value: from, address, slot });
    }
    if (to === undefined) return;
    const members = this.#leftIn.get(to);
    if (members === undefined) this.#leftIn.set(to, new Map([[address, STILL]]));
    else members.set(address, STILL);
  }

  of(value: Key): Iterable<Key> {
    return this.#leftIn.get(value)?.keys() ?? [];
  }

  *all(): Generator<Iterable<Key>> {
    for (const members of this.#leftIn.values()) yield members.keys();
  }

  forgetUpTo(slot: number): void {
    if ((this.#leavers[0]?.slot ?? STILL) > slot) return;
    for (const one of this.#leavers) if (one.slot <= slot) this.#forget(one.value, one.address, slot);
    this.#leavers = this.#leavers.filter((one) => one.slot > slot);
  }

  #forget(value: Key, address: Key, slot: number): void {
    const members = this.#leftIn.get(value);
    // It may have come back since.
    if (members === undefined || (members.get(address) ?? STILL) > slot) return;
    members.delete(address);
    if (members.size === 0) this.#leftIn.delete(value);
  }
}
