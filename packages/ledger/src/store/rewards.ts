import { fromBase58, toBase58 } from '../bank/keys.js';

/** A reward, in lamports, and the balance that it left. */
export type Reward = { readonly address: Uint8Array; readonly lamports: bigint; readonly balance: bigint };

/** What was paid for an epoch: to vote accounts in the first slot after it, to stakes in the second. */
export type EpochRewards = { readonly votes: readonly Reward[]; readonly stakes: readonly Reward[] };

type Written = { readonly [Kind in keyof EpochRewards]: readonly (readonly [string, string, string])[] };

/** Rewards as JSON, which has no integers of 64 bits. */
export function writtenRewards({ votes, stakes }: EpochRewards): Written {
  const written = (rewards: readonly Reward[]) =>
    rewards.map(({ address, lamports, balance }) => [toBase58(address), String(lamports), String(balance)] as const);
  return { votes: written(votes), stakes: written(stakes) };
}

export function readRewards(stored: unknown): EpochRewards | undefined {
  if (stored === undefined) return undefined;
  const { votes, stakes } = stored as Written;
  const read = (rewards: Written['votes']): Reward[] =>
    rewards.map(([address, lamports, balance]) => ({
      address: fromBase58(address),
      lamports: BigInt(lamports),
      balance: BigInt(balance),
    }));
  return { votes: read(votes), stakes: read(stakes) };
}
