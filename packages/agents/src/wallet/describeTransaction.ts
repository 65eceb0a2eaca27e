import { formatSol, sayInstruction } from '@legwork/sdk';
import type { readRelayTransaction } from '@legwork/sdk';
import type { Cost } from './mostItCosts.js';

/** A transaction of one known instruction, decoded. */
export type RelayTransaction = ReturnType<typeof readRelayTransaction>;

/** What a person is told about a transaction, line by line: all of it from its bytes and the ledger, none of it from who asked. */
export function describeTransaction(
  { instruction, feePayer }: RelayTransaction,
  { wallet, subject, lamports, stake }: Cost & { readonly wallet: string; readonly subject: string },
): string[] {
  return [
    `Wallet: ${wallet}`,
    ...(feePayer === wallet ? [] : [`Its fee is paid by: ${feePayer}`]),
    ...sayInstruction(instruction),
    ...(instruction.name === 'listPackage' || instruction.name === 'listTask' ? [] : [`It is about: ${subject}`]),
    ...(stake
      ? [`Stake: ${formatSol(stake.lamports)} SOL. Who is late, or wrong by a ruling of ${stake.arbiter}, loses it`]
      : []),
    `Most that it costs, with fee and rent: ${formatSol(lamports)} SOL`,
  ];
}
