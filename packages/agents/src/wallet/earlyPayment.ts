import { LegStatus } from '@legwork/program-client';
import { decodeRelayAccount, formatSol } from '@legwork/sdk';
import { fetchEncodedAccounts, unwrapOption } from '@solana/kit';
import type { GetMultipleAccountsApi, Rpc } from '@solana/kit';
import type { RelayTransaction } from './describeTransaction.js';
import { EarlyPaymentError } from './spending.js';

const NOT_PICKED_UP: ReadonlySet<LegStatus> = new Set([LegStatus.Pending, LegStatus.Accepted]);

/**
 * Says that a confirmation pays for a leg with terms whose parcel nobody has picked up, as the ledger has it. Rules T-97, A-103.
 *
 * @returns undefined: it does not
 */
export async function earlyPayment(
  { instruction: { name, accounts, tokens }, signedText }: RelayTransaction,
  rpc: Rpc<GetMultipleAccountsApi>,
): Promise<EarlyPaymentError | undefined> {
  // The sender of somebody else's text decides nothing.
  if (name !== 'confirmLeg' || signedText !== undefined) return undefined;
  const [account] = await fetchEncodedAccounts(rpc, [accounts.leg.address], { commitment: 'confirmed' });
  const leg = account?.exists ? decodeRelayAccount(account.data) : undefined;
  if (leg?.kind !== 'leg' || unwrapOption(leg.data.turn) === null) return undefined;
  const { status, courier, paymentLamports } = leg.data;
  if (!NOT_PICKED_UP.has(status)) return undefined;
  const amount = tokens === undefined ? `${formatSol(paymentLamports)} SOL` : `${paymentLamports} units of a token`;
  const pays = `confirming pays ${courier} ${amount} at once`;
  return new EarlyPaymentError(`nobody has picked up the parcel of this leg, and ${pays}`);
}
