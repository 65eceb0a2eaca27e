import { isInSol, SOL } from '@legwork/sdk';
import type { Outcome } from '../checks/outcome.js';
import { type Claim, checkClaim, type MovedIn } from '../checks/transaction.js';
import { checkRefund, checkVault, type Money } from '../checks/vault.js';
import type { PageCheck } from '../ui/Checks.js';
import { readAccount, readTransaction } from './ledger.js';
import { t } from '../language.js';

/** The id of the check of a transaction. */
export const transactionCheck = (signature: string): string => `transaction ${signature}`;

/** Verdicts are about what stands here, to the lamport. */
export function asText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
}

/**
 * The checks of an escrow: each of its transactions, and its vault.
 *
 * @param claims what the page says that the transactions did
 * @param read asks the service again where the money is
 */
export function escrowChecks(money: Money, claims: readonly Claim[], read: () => Promise<Money>): PageCheck[] {
  const transactions = [...bySignature(claims)].map(
    ([signature, those]): PageCheck => ({
      id: transactionCheck(signature),
      of: asText(those),
      make: () => transactionOnLedger(signature, those, money),
    }),
  );
  return [...transactions, { id: 'vault', of: asText(money), make: () => vaultOnLedger(money, read) }];
}

function bySignature(claims: readonly Claim[]): ReadonlyMap<string, readonly Claim[]> {
  const grouped = new Map<string, Claim[]>();
  for (const claim of claims) grouped.set(claim.signature, [...(grouped.get(claim.signature) ?? []), claim]);
  return grouped;
}

async function transactionOnLedger(signature: string, claims: readonly Claim[], money: Money): Promise<Outcome> {
  const transaction = await readTransaction(signature);
  const of = await movedInOf(money);
  const outcomes = claims.map((claim) => checkClaim(transaction, claim, of));
  const refund = money.movements.find((movement) => movement.what === 'refund' && movement.signature === signature);
  if (transaction && refund)
    outcomes.push(checkRefund(transaction, refund, { rent: isInSol(money) ? money.vaultRentLamports : 0n, of }));
  return (
    outcomes.find(({ holds }) => !holds) ?? { holds: true, seen: t('slot {slot}', { slot: String(transaction?.slot) }) }
  );
}

/** What its amounts count; tokens come with code of their own. */
async function movedInOf(money: Money): Promise<MovedIn> {
  if (isInSol(money)) return SOL;
  const { movedIn } = await import('./tokens.js');
  return movedIn(money, [...new Set(money.movements.flatMap(({ from, to }) => [from, to]))]);
}

async function heldOf(money: Money): Promise<bigint> {
  if (isInSol(money)) return (await readAccount(money.onChainVault))?.lamports ?? 0n;
  return (await import('./tokens.js')).heldInTokens(money);
}

async function vaultOnLedger(money: Money, read: () => Promise<Money>): Promise<Outcome> {
  const held = await heldOf(money);
  const outcome = checkVault(money, held);
  if (outcome.holds) return outcome;
  // A leg may have been paid since the page was read: then the service says so by now.
  return checkVault(await read(), held);
}
