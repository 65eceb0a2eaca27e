import { formatSol } from '@legwork/sdk';
import type { readRelayTransaction } from '@legwork/sdk';

/** A transaction of one known instruction, decoded. */
export type RelayTransaction = ReturnType<typeof readRelayTransaction>;

/** What a person is told about a transaction, line by line: all of it from its bytes, none of it from who asked. */
export function describeTransaction(read: RelayTransaction, subject: string, mostLamports: bigint): string[] {
  const { instruction, feePayer } = read;
  const about =
    instruction.name === 'listPackage' || instruction.name === 'listTask'
      ? [
          `Locks in escrow: ${formatSol(instruction.data.maxBudget)} SOL`,
          `Until at most: ${new Date(Number(instruction.data.deadline) * 1000).toISOString()}`,
        ]
      : [`It is about: ${subject}`];
  return [`Wallet: ${feePayer}`, ...about, `Most that it costs, with fee and rent: ${formatSol(mostLamports)} SOL`];
}
