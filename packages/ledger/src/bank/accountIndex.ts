import type { Account } from './account.js';
import { keyOf, type Key } from './keys.js';
import { isTokenProgram, looksLikeTokenAccount } from './token.js';

/** By what accounts are found. Mint, owner and delegate are those of token accounts. */
export type Trait = 'program' | 'mint' | 'tokenOwner' | 'delegate';

const TRAITS: readonly Trait[] = ['program', 'mint', 'tokenOwner', 'delegate'];

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
  readonly #members = new Map(TRAITS.map((trait) => [trait, new Members()]));

  /** Notes how an account changed in a slot. */
  update(address: Key, before: Account | undefined, after: Account | undefined, slot: number): void {
    for (const [trait, members] of this.#members) {
      const old = before === undefined ? undefined : traitOf(before, trait);
      const now = after === undefined ? undefined : traitOf(after, trait);
      if (old !== undefined && old !== now) members.leave(old, address, slot);
      // Also when it had the trait: the engine begins with accounts that no index knows.
      if (now !== undefined) members.join(now, address);
    }
  }

  /** The accounts that have the trait now or had it after the last final slot. */
  find(trait: Trait, value: Key): Iterable<Key> {
    return this.#members.get(trait)?.of(value) ?? [];
  }

  /** Forgets who lost a trait in this slot or earlier. */
  forgetUpTo(slot: number): void {
    for (const members of this.#members.values()) members.forgetUpTo(slot);
  }
}

const STILL = Number.POSITIVE_INFINITY;

/** Which accounts have which value, and when those left that no longer have it. */
class Members {
  readonly #leftIn = new Map<Key, Map<Key, number>>();
  #leavers: { readonly value: Key; readonly address: Key; readonly slot: number }[] = [];

  join(value: Key, address: Key): void {
    const members = this.#leftIn.get(value);
    if (members === undefined) this.#leftIn.set(value, new Map([[address, STILL]]));
    else members.set(address, STILL);
  }

  leave(value: Key, address: Key, slot: number): void {
    this.#leftIn.get(value)?.set(address, slot);
    this.#leavers.push({ value, address, slot });
  }

  of(value: Key): Iterable<Key> {
    return this.#leftIn.get(value)?.keys() ?? [];
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
