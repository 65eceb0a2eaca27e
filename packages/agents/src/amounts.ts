import { formatAmount, isInSol } from '@legwork/sdk';
import type { Asset, Lamports } from '@legwork/sdk';

/** The fields of an answer that tell an amount: as lamports of SOL; of a token in words, beside lamports that are null. */
export function toldAmount(name: string, amount: Lamports, asset: Asset) {
  const words = isInSol(asset) ? {} : { [name]: formatAmount(amount, asset) };
  return { ...words, [`${name}Lamports`]: isInSol(asset) ? amount : null };
}
