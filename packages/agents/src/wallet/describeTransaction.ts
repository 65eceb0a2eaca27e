import { TOKEN_ACCOUNT_RENT } from '@legwork/program-client';
import { formatAmount, formatSol, sayInstruction } from '@legwork/sdk';
import type { readRelayTransaction } from '@legwork/sdk';
import type { Cost } from './mostItCosts.js';
import type { AssetRules } from './assetRules.js';

/** A transaction of one known instruction, decoded. */
export type RelayTransaction = ReturnType<typeof readRelayTransaction>;

/** Describes a transaction to a person, line by line: all of it from its bytes and the ledger, none of it from the asker. */
export function describeTransaction(
  { instruction, feePayer, opened, reasonHash }: RelayTransaction,
  {
    wallet,
    subject,
    lamports,
    tokens,
    stake,
    mandated,
    of,
  }: Cost & { readonly wallet: string; readonly subject: string; readonly of: AssetRules },
): string[] {
  return [
    `Wallet: ${wallet}`,
    ...(feePayer === wallet ? [] : [`Its fee is paid by: ${feePayer}`]),
    ...sayInstruction(instruction),
    ...(reasonHash === undefined ? [] : [`Its reason: sha256 ${reasonHash}`]),
    ...(instruction.name === 'listPackage' || instruction.name === 'listTask' ? [] : [`It is about: ${subject}`]),
    ...(stake
      ? [`Stake: ${formatAmount(stake.amount, of)}. Who is late, or wrong by a ruling of ${stake.arbiter}, loses it`]
      : []),
    ...(tokens > 0n ? [`It locks ${formatAmount(tokens, of)}`] : []),
    ...(opened > 0
      ? [
          `It opens up to ${opened} token accounts, for ${formatSol(TOKEN_ACCOUNT_RENT)} SOL of rent each, which ${feePayer} pays`,
        ]
      : []),
    ...paidByMandate(instruction, mandated, of),
    `Most that it costs, with fee and rent: ${formatSol(lamports)} SOL`,
  ];
}

/** The sums that a mandate pays in the wallet's place, and where they go back to. */
function paidByMandate(
  { accounts }: RelayTransaction['instruction'],
  mandated: Cost['mandated'],
  of: AssetRules,
): string[] {
  if (mandated === undefined || !('funder' in accounts)) return [];
  const { lamports, tokens } = mandated;
  const sums = [...(tokens > 0n ? [formatAmount(tokens, of)] : []), `${formatSol(lamports)} SOL`];
  return [
    `Of that the mandate at ${accounts.funder.address} pays ${sums.join(' and ')}, and what is left returns to it`,
  ];
}
