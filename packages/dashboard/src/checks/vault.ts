import type { AnswerOf, operations } from '@legwork/protocol/contract';
import { formatSol } from '@legwork/sdk';
import type { LedgerTransaction } from './ledgerTransaction.js';
import type { Outcome } from './outcome.js';
import { changeOf, signedSol } from './transaction.js';

/** The escrow of a package or a digital task: every movement, and what the vault holds. */
export type Money = Pick<
  AnswerOf<typeof operations.getPackageMoney>,
  'onChainVault' | 'vaultLamports' | 'vaultRentLamports' | 'movements'
>;

/** What went into the vault and out of it, by what it was for. */
export interface Sum {
  readonly locked: bigint;
  readonly paid: bigint;
  readonly returned: bigint;
  /** Of stakes that were lost, and of kinds that this version does not know: out of the vault less into it. */
  readonly other: bigint;
  /** What was posted as stakes and not moved on: it lies in the accounts of legs. */
  readonly staked: bigint;
  /** locked − paid − returned − other − what is in the vault: 0, or something is missing. */
  readonly rest: bigint;
}

/** What goes into the accounts of legs, and out of them. */
const STAKES: Readonly<Record<string, bigint>> = {
  stake: 1n,
  stake_returned: -1n,
  stake_forfeited: -1n,
  arbiter_fee: -1n,
  burnt: -1n,
};

/** Whether a movement adds to the escrow, takes from it, or stays in it: it is the vault and the accounts of the legs. Rule D-39. */
export function signOf({ what, from, to }: Money['movements'][number], { onChainVault }: Money): -1 | 0 | 1 {
  const staked = STAKES[what] ?? 0n;
  const [isFromIt, isToIt] = [from === onChainVault || staked < 0n, to === onChainVault || staked > 0n];
  return isFromIt === isToIt ? 0 : isToIt ? 1 : -1;
}

/** Adds the movements up. Rule D-12. */
export function sumOf({ movements, onChainVault, vaultLamports }: Money): Sum {
  const sum = { locked: 0n, paid: 0n, returned: 0n, other: 0n, staked: 0n };
  for (const { what, from, to, lamports } of movements) {
    const out = BigInt(from === onChainVault) - BigInt(to === onChainVault);
    if (what === 'lock') sum.locked -= out * lamports;
    else if (what === 'payment') sum.paid += out * lamports;
    else if (what === 'refund') sum.returned += out * lamports;
    else sum.other += out * lamports;
    sum.staked += (STAKES[what] ?? 0n) * lamports;
  }
  return { ...sum, rest: sum.locked - sum.paid - sum.returned - sum.other - vaultLamports };
}

/**
 * Whether the movements add up to what is said to be in the vault, and what was staked to what the legs hold.
 *
 * @param stakes lamports that the legs hold by their stages; 0 without terms
 */
export function checkSum(money: Money, stakes: bigint): Outcome {
  const { rest, staked } = sumOf(money);
  if (rest === 0n && staked !== stakes) {
    const held = formatSol(stakes);
    return {
      holds: false,
      difference: `Stakes of ${signedSol(staked)} SOL are left, by their stages the legs hold ${held}.`,
    };
  }
  const held = money.vaultLamports + stakes;
  if (rest === 0n)
    return { holds: true, seen: held === 0n ? 'Sums to 0' : `Sums to the ${formatSol(held)} SOL in escrow` };
  const amount = formatSol(rest < 0n ? -rest : rest);
  return { holds: false, difference: rest > 0n ? `${amount} SOL went nowhere.` : `${amount} SOL came from nowhere.` };
}

/**
 * Compares what the vault is said to hold with its account. Anybody can add to an account, nobody but the program takes from
 * it: more than is said is no contradiction, as long as it is not what is said to have been returned.
 *
 * @param heldLamports of the account, on the ledger; 0 without one
 */
export function checkVault(money: Money, heldLamports: bigint): Outcome {
  const isEmptied = money.movements.some(({ what }) => what === 'refund');
  const expected = isEmptied ? 0n : money.vaultLamports + money.vaultRentLamports;
  const more = heldLamports - expected;
  const seen = `${formatSol(heldLamports)} SOL on the ledger`;
  if (more < 0n) {
    return { holds: false, difference: `It holds ${formatSol(heldLamports)} SOL, ${formatSol(-more)} too little.` };
  }
  const { returned } = sumOf(money);
  if (isEmptied && returned > 0n && more >= returned) {
    return {
      holds: false,
      difference: `It still holds ${formatSol(more)} SOL: as much as is said to have been returned.`,
    };
  }
  if (more > 0n) return { holds: true, seen: `${seen}; somebody added ${formatSol(more)}` };
  return { holds: true, seen: isEmptied ? 'Empty on the ledger' : `${seen}, rent included` };
}

/** A refund as it is shown. */
type Refund = Pick<Money['movements'][number], 'from' | 'to' | 'lamports'>;

/**
 * Whether a transaction returned what it is said to have returned, and left nothing behind. What strangers added to the vault
 * goes the same way.
 *
 * @param rentLamports of the vault's account, which is returned with it
 */
export function checkRefund(
  transaction: LedgerTransaction,
  { from, to, lamports }: Refund,
  rentLamports: bigint,
): Outcome {
  const left = transaction.balances.find(({ account }) => account === from)?.after ?? 0n;
  const [out, back] = [-changeOf(transaction, from), changeOf(transaction, to)];
  if (left > 0n) return { holds: false, difference: `It left ${formatSol(left)} SOL in the vault.` };
  const least = lamports + rentLamports;
  if (out < least)
    return { holds: false, difference: `The vault gave ${formatSol(out)} SOL, not ${formatSol(least)}.` };
  if (back < least)
    return {
      holds: false,
      difference: `The funder got ${formatSol(back < 0n ? 0n : back)} SOL, not ${formatSol(least)}.`,
    };
  return { holds: true, seen: `slot ${transaction.slot}` };
}
