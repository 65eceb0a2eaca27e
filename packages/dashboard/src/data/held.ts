import { useQuery } from '@tanstack/react-query';
import { type Asset, SOL } from '@legwork/sdk';
import { amountIn, t } from '../language.js';

/** What an account holds of one asset. */
export interface Held {
  readonly of: Asset;
  readonly amount: bigint;
}

/** How often it is looked what a wallet holds, milliseconds: it changes when others pay, too. */
const LOOK_EVERY_MS = 10_000;

export const heldKey = (wallet: string) => ['held', wallet] as const;

/** What a wallet holds, SOL first, then each token that the service lists in; kept current. */
export function useHeld(wallet: string) {
  return useQuery({
    queryKey: heldKey(wallet),
    queryFn: async () => (await import('./tokens.js')).heldBy(wallet),
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
    retry: false,
  });
}

/** How much it is of one asset; undefined: not known. */
export const heldOf = (held: readonly Held[] | undefined, { asset }: Pick<Asset, 'asset'>): bigint | undefined =>
  held?.find(({ of }) => of.asset === asset)?.amount;

/** SOL, and what is there of tokens: `1 SOL and 100 USDC`. */
export function sayHeld(held: readonly Held[]): string {
  const there = held.filter(({ of, amount }) => of.asset === SOL.asset || amount > 0n);
  return there
    .map(({ of, amount }) => amountIn(amount, of))
    .reduce((one, other) => t('{one} and {other}', { one, other }));
}
