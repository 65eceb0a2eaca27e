import { formatSol, type Lamports, type ResultOf } from '@legwork/sdk';
import type { Outcome } from './outcome.js';

/** The escrow of a package or a digital task: every movement, and what the vault holds. */
export type Money = Pick<
  ResultOf<'getPackageMoney'>,
  'onChainVault' | 'vaultLamports' | 'vaultRentLamports' | 'movements'
>;

/** What went into the vault and out of it, by what it was for. */
export interface Sum {
  readonly locked: bigint;
  readonly paid: bigint;
  readonly returned: bigint;
  /** Of kinds that this version does not know: out of the vault less into it. */
  readonly other: bigint;
  /** locked − paid − returned − other − what is in the vault: 0, or something is missing. */
  readonly rest: bigint;
}

/** Adds the movements up. Rule D-13. */
export function sumOf({ movements, onChainVault, vaultLamports }: Money): Sum {
  const sum = { locked: 0n, paid: 0n, returned: 0n, other: 0n };
  for (const { what, from, to, lamports } of movements) {
    const out = BigInt(from === onChainVault) - BigInt(to === onChainVault);
    if (what === 'lock') sum.locked -= out * lamports;
    else if (what === 'payment') sum.paid += out * lamports;
    else if (what === 'refund') sum.returned += out * lamports;
    else sum.other += out * lamports;
  }
  return { ...sum, rest: sum.locked - sum.paid - sum.returned - sum.other - vaultLamports };
}

/** Whether the movements add up to what is said to be in the vault. Rule D-13. */
export function checkSum(money: Money): Outcome {
  const { rest } = sumOf(money);
  if (rest === 0n) return { holds: true, seen: 'Sums to 0' };
  const amount = formatSol((rest < 0n ? -rest : rest) as Lamports);
  return { holds: false, difference: rest > 0n ? `${amount} SOL went nowhere.` : `${amount} SOL came from nowhere.` };
}

/**
 * Compares what the vault is said to hold with its account. Anybody can add to an account, nobody but the program takes from
 * it: more than is said is no contradiction, as long as it is not what is said to have been returned. Rule D-13.
 *
 * @param heldLamports of the account, on the ledger; 0 without one
 */
export function checkVault(money: Money, heldLamports: bigint): Outcome {
  const isEmptied = money.movements.some(({ what }) => what === 'refund');
  const expected = isEmptied ? 0n : money.vaultLamports + money.vaultRentLamports;
  const more = heldLamports - expected;
  const holds = `${formatSol(heldLamports as Lamports)} SOL on the ledger`;
  if (more < 0n) {
    return { holds: false, difference: `It holds ${formatSol(heldLamports as Lamports)} SOL, ${formatSol(-more as Lamports)} too little.` };
  }
  if (isEmptied && more > 0n && more >= sumOf(money).returned) {
    return { holds: false, difference: `It still holds ${formatSol(more as Lamports)} SOL: as much as is said to have been returned.` };
  }
  if (more > 0n) return { holds: true, seen: `${holds}; somebody added ${formatSol(more as Lamports)}` };
  return { holds: true, seen: isEmptied ? 'Empty on the ledger' : `${holds}, rent included` };
}
