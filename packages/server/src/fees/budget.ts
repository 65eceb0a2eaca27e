import { createHmac } from 'node:crypto';
import { formatSol, type Lamports, LegworkError, toLamports } from '@legwork/protocol/contract';
import type { Transaction } from '@solana/kit';
import { clientKey } from '../api/limits.js';
import type { Config } from '../config.js';
import type { AppContext } from '../context.js';
import { canAdvance, holdFunds } from '../coordinator/funds.js';
import type { Db, Trx } from '../db/connect.js';
import { inTransaction } from '../db/transaction.js';
import type { Ledger } from '../ledger/ledger.js';
import { type Advanced, insertSponsorship, readAdvanced } from '../money/sponsorshipRows.js';

/** True if the coordinator pays for transactions of others at all. */
export function paysFees({ feeBudgets }: Pick<Config, 'feeBudgets'>): boolean {
  return Object.values(feeBudgets).every((lamports) => lamports > 0n);
}

/** A transaction that the coordinator is to pay for. */
export interface Charge {
  id: string;
  /** The key whose move it is. */
  key: string;
  ip: string;
  /** The most that it takes. */
  lamports: Lamports;
}

/**
 * The name under which a transaction is charged: of its message, so that it is the same however often it is handed in. It is a keyed hash:
 * half as many bits would be few if anybody could look for two messages of one name, since what was charged is not checked again.
 */
export function chargeId(
  { decisionKey }: Pick<Ledger, 'decisionKey'>,
  { messageBytes }: Pick<Transaction, 'messageBytes'>,
): string {
  const hex = createHmac('sha256', decisionKey).update('fees\n').update(Uint8Array.from(messageBytes)).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** Reports whether the transaction was charged before: then it was checked, and its fee is paid once. */
export async function isCharged(db: Db | Trx, id: string): Promise<boolean> {
  const row = await db.selectFrom('sponsorships').select('subject_id').where('subject_id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/**
 * Charges a transaction to the budgets of its key, of the client's address and of all, and to what the coordinator may spend: all
 * replicas count together. It is charged before it is signed, so that a crash in between loses the charge and no money. Rule M-98.
 *
 * @throws LegworkError `sponsorship_cap`, `sponsoring_paused`
 */
export async function charge(context: AppContext, { id, key, ip, lamports }: Charge): Promise<void> {
  const asking = { poster: key, signed: true, ip: clientKey(ip), purpose: 'fees' } as const;
  await inTransaction(context.db, async (trx) => {
    await holdFunds(context, trx);
    if (await isCharged(trx, id)) return;
    requireBudget(context.config, await readAdvanced(trx, asking), lamports);
    if (!(await canAdvance(context, trx, lamports))) {
      throw new LegworkError(
        'sponsoring_paused',
        'The coordinator pays no fees for others for now: its funds are low. Try later, or pay from your own wallet.',
      );
    }
    await insertSponsorship(trx, {
      subject_id: id,
      purpose: 'fees',
      poster_pubkey: key,
      signed: true,
      ip: asking.ip,
      lamports,
      is_returned: true,
    });
  });
}

/** Corrects the charge to the actual cost, which may be lower: a token account was there already. */
export async function correctCharge(db: Db, id: string, lamports: bigint): Promise<void> {
  await db
    .updateTable('sponsorships')
    .set({ lamports: toLamports(lamports) })
    .where('subject_id', '=', id)
    .where('lamports', '>', toLamports(lamports))
    .execute();
}

/** @throws LegworkError `sponsorship_cap` */
function requireBudget({ feeBudgets }: Config, advanced: Advanced, lamports: Lamports): void {
  const held: readonly [what: string, budget: Lamports, used: Lamports][] = [
    ['for one key', feeBudgets.key, advanced.poster],
    ['for one address', feeBudgets.address, advanced.ip],
    ['in all', feeBudgets.day, advanced.day],
  ];
  for (const [what, budget, used] of held) {
    if (used + lamports <= budget) continue;
    throw LegworkError.field(
      'sponsorship_cap',
      'transaction',
      `takes ${formatSol(lamports)} SOL of fees and token accounts; the coordinator pays at most ${formatSol(budget)} SOL of them ${what} ` +
        `in 24 hours, and ${formatSol(used)} SOL are used: put SOL into the wallet and pay yourself, or come back later`,
    );
  }
}
