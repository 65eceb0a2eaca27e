import { getU32Decoder, getU64Decoder } from '@solana/kit';
import type { Instruction } from '@solana/kit';

/** The program whose instructions set what a transaction may use and what it offers for it. */
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';

/** The most a transaction may offer on top of the base fee: 0.001 SOL. A larger offer would empty a wallet by fees. */
export const MAX_PRIORITY_FEE_LAMPORTS = 1_000_000n;

const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;
const MAX_COMPUTE_UNITS = 1_400_000;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;

/** The most the instructions can cost on top of the base fee, lamports: price times limit, rounded up. */
export function priorityFeeLamports(instructions: readonly Instruction[]): bigint {
  let units = MAX_COMPUTE_UNITS;
  let price = 0n;
  for (const { programAddress, data = new Uint8Array() } of instructions) {
    if (programAddress !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data[0] === SET_COMPUTE_UNIT_LIMIT && data.length === 5) units = getU32Decoder().decode(data, 1);
    if (data[0] === SET_COMPUTE_UNIT_PRICE && data.length === 9) price = getU64Decoder().decode(data, 1);
  }
  return (
    (price * BigInt(Math.min(units, MAX_COMPUTE_UNITS)) + MICROLAMPORTS_PER_LAMPORT - 1n) / MICROLAMPORTS_PER_LAMPORT
  );
}
