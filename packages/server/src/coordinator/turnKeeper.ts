import { EVICTION_GRACE_SEC } from '@legwork/protocol/rules';
import type { AppContext } from '../context.js';
import { hasClocks, overdueLegs } from '../legs/openingRows.js';
import { addIntent } from '../db/outbox.js';
import { inTransaction } from '../db/transaction.js';
import { readLedgerTime } from '../ledger/ledger.js';
import { type Loop, startLoop } from '../loop.js';
import { evaluateOpenings } from './openings.js';

const POLL_MS = 1_000;
const BATCH = 50;

/** Decides, as intents, what silence means for legs whose clock has ended. @returns whether there may be more */
async function crankOverdue({ db, wakers }: AppContext, ledgerTime: Date): Promise<boolean> {
  const overdue = await overdueLegs(db, { ledgerTime, graceSec: EVICTION_GRACE_SEC, limit: BATCH });
  if (overdue.length === 0) return false;
  await inTransaction(db, async (trx) => {
    for (const { id, since, subject } of overdue) {
      const key = `crank_leg:${id}:${since.getTime() / 1000}`;
      const payload = { overdueLegId: id, since: since.toISOString() };
      await addIntent(trx, { kind: 'crank_leg', subject, key, ...payload });
    }
  });
  wakers.outbox.wake();
  return overdue.length === BATCH;
}

/**
 * Starts keeping the clocks of listings with terms: pays what nobody disputed, ends disputes that nobody ruled, vacates legs that
 * nobody came for, and finds couriers for vacant ones. All of it follows from the database and the ledger's clock alone.
 */
export function startTurnKeeper(context: AppContext): Loop {
  return startLoop({
    name: 'turn keeper',
    log: context.log,
    pollMs: POLL_MS,
    waker: context.wakers.keeper,
    async round() {
      if (!(await hasClocks(context.db))) return false;
      const ledgerTime = await readLedgerTime(context.ledger);
      const more = await crankOverdue(context, ledgerTime);
      return (await evaluateOpenings(context, ledgerTime)) || more;
    },
  });
}
