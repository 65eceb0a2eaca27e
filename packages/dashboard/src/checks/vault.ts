import type { AnswerOf, operations } from '@legwork/protocol/contract';
import { isInSol } from '@legwork/sdk';
import type { LedgerTransaction } from './ledgerTransaction.js';
import type { Outcome } from './outcome.js';
import { changeOf, leftOf, type MovedIn, signedAmount } from './transaction.js';
import { amountIn, figureIn, t } from '../language.js';

/** The escrow of a package or a digital task: every movement, and what the vault holds. */
export type Money = Pick<
  AnswerOf<typeof operations.getPackageMoney>,
  'onChainVault' | 'asset' | 'decimals' | 'vault' | 'vaultRentLamports' | 'movements'
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
export function sumOf({ movements, onChainVault, vault }: Money): Sum {
  const sum = { locked: 0n, paid: 0n, returned: 0n, other: 0n, staked: 0n };
  for (const { what, from, to, amount } of movements) {
    const out = BigInt(from === onChainVault) - BigInt(to === onChainVault);
    if (what === 'lock') sum.locked -= out * amount;
    else if (what === 'payment') sum.paid += out * amount;
    else if (what === 'refund') sum.returned += out * amount;
    else sum.other += out * amount;
    sum.staked += (STAKES[what] ?? 0n) * amount;
  }
  return { ...sum, rest: sum.locked - sum.paid - sum.returned - sum.other - vault };
}

/**
 * Whether the movements add up to what is said to be in the vault, and what was staked to what the legs hold.
 *
 * @param stakes base units that the legs hold by their stages; 0 without terms
 */
export function checkSum(money: Money, stakes: bigint): Outcome {
  const { rest, staked } = sumOf(money);
  if (rest === 0n && staked !== stakes) {
    const held = figureIn(stakes, money.decimals);
    return {
      holds: false,
      difference: t('Stakes of {staked} are left, but by their stages the legs hold {held}.', {
        staked: signedAmount(staked, money),
        held,
      }),
    };
  }
  const held = money.vault + stakes;
  if (rest === 0n)
    return {
      holds: true,
      seen: held === 0n ? t('Sums to 0') : t('Sums to the {amount} in escrow', { amount: amountIn(held, money) }),
    };
  const amount = amountIn(rest < 0n ? -rest : rest, money);
  return {
    holds: false,
    difference: rest > 0n ? t('{amount} went nowhere.', { amount }) : t('{amount} came from nowhere.', { amount }),
  };
}

/**
 * Compares what the vault is said to hold with its account. Anybody can add to an account, nobody but the program takes from
 * it: more than is said is no contradiction, as long as it is not what is said to have been returned.
 *
 * @param held base units of the account, on the ledger, of a token those of its token account; 0 without one
 */
export function checkVault(money: Money, held: bigint): Outcome {
  const isEmptied = money.movements.some(({ what }) => what === 'refund');
  // Of a token its account's rent is apart, and stakes lie beside the budget.
  const beside = isInSol(money) ? money.vaultRentLamports : sumOf(money).staked;
  const expected = isEmptied ? 0n : money.vault + beside;
  const more = held - expected;
  const figure = (amount: bigint) => figureIn(amount, money.decimals);
  const amount = amountIn(held, money);
  if (more < 0n) {
    return { holds: false, difference: t('It holds {amount}, {less} too little.', { amount, less: figure(-more) }) };
  }
  const { returned } = sumOf(money);
  if (isEmptied && returned > 0n && more >= returned) {
    return {
      holds: false,
      difference: t('It still holds {amount}, as much as is said to have been returned.', {
        amount: amountIn(more, money),
      }),
    };
  }
  if (more > 0n)
    return { holds: true, seen: t('{amount} on the ledger; somebody added {more}', { amount, more: figure(more) }) };
  if (isEmptied) return { holds: true, seen: t('Empty on the ledger') };
  const isWithRent = isInSol(money);
  return {
    holds: true,
    seen: isWithRent ? t('{amount} on the ledger, rent included', { amount }) : t('{amount} on the ledger', { amount }),
  };
}

/** A refund as it is shown. */
type Refund = Pick<Money['movements'][number], 'from' | 'to' | 'amount'>;

/**
 * Whether a transaction returned what it is said to have returned, and left nothing behind. What strangers added to the vault
 * goes the same way.
 *
 * @param rent of the vault's account, which is returned with it; of a token 0: it comes in SOL
 */
export function checkRefund(
  transaction: LedgerTransaction,
  { from, to, amount }: Refund,
  { rent, of }: { readonly rent: bigint; readonly of: MovedIn },
): Outcome {
  const left = leftOf(transaction, from, of);
  const [out, back] = [-changeOf(transaction, from, of), changeOf(transaction, to, of)];
  if (left > 0n)
    return { holds: false, difference: t('It left {amount} in the vault.', { amount: amountIn(left, of) }) };
  const least = amount + rent;
  if (out < least)
    return {
      holds: false,
      difference: t('The vault gave {given}, not {wanted}.', {
        given: amountIn(out, of),
        wanted: figureIn(least, of.decimals),
      }),
    };
  if (back < least)
    return {
      holds: false,
      difference: t('The funder got {given}, not {wanted}.', {
        given: amountIn(back < 0n ? 0n : back, of),
        wanted: figureIn(least, of.decimals),
      }),
    };
  return { holds: true, seen: t('slot {slot}', { slot: String(transaction.slot) }) };
}
