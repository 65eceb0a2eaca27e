import { LegStatus } from '@legwork/program-client';
import { decodeRelayAccount, formatSol, toLamports } from '@legwork/sdk';
import { fetchEncodedAccounts, unwrapOption } from '@solana/kit';
import type { GetMultipleAccountsApi, Rpc } from '@solana/kit';
import type { RelayTransaction } from './describeTransaction.js';
import { LimitError } from './spending.js';

/** It would pay for a parcel that nobody has picked up: a person has to want that. Nothing was signed. */
export class EarlyPaymentError extends LimitError {}

const NOT_PICKED_UP: ReadonlySet<LegStatus> = new Set([LegStatus.Pending, LegStatus.Accepted]);

/**
 * Says that a confirmation pays for a leg with terms whose parcel nobody has picked up, as the ledger has it. Rules T-97, A-103.
 *
 * @returns undefined: it does not
 */
export async function earlyPayment(
  { instruction: { name, accounts } }: RelayTransaction,
  rpc: Rpc<GetMultipleAccountsApi>,
): Promise<EarlyPaymentError | undefined> {
  if (name !== 'confirmLeg') return undefined;
  const [account] = await fetchEncodedAccounts(rpc, [accounts.leg.address], { commitment: 'confirmed' });
  const leg = account?.exists ? decodeRelayAccount(account.data) : undefined;
  if (leg?.kind !== 'leg' || unwrapOption(leg.data.turn) === null) return undefined;
  const { status, courier, paymentLamports } = leg.data;
  if (!NOT_PICKED_UP.has(status)) return undefined;
  const pays = `confirming pays ${courier} ${formatSol(toLamports(paymentLamports))} SOL at once`;
  return new EarlyPaymentError(`nobody has picked up the parcel of this leg, and ${pays}`);
}
