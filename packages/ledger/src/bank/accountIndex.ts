import type { Account } from './account.js';
import { keyOf, type Key } from './keys.js';
import { isTokenProgram, looksLikeTokenAccount } from './token.js';

/** By what accounts are found. Mint, owner and delegate are those of token accounts. */
export type Trait = 'program' | 'mint' | 'tokenOwner' | 'delegate';

const TOKEN_TRAITS = ['mint', 'tokenOwner', 'delegate'] as const;

/** What an account is found by; undefined when it has no such trait. */
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
