import { createHmac, type KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { Db, Trx } from '../db/connect.js';
import { insertDecision, intentsToVouchFor } from '../db/decisions.js';
import { findDigitalLeg } from '../tasks/taskLegRows.js';
import { lockMeta, readMeta, setMeta } from '../db/migrate.js';
import { claimOf } from '../db/outbox.js';
import type { OutboxRow } from '../db/schema.js';
import { inTransaction } from '../db/transaction.js';
import type { Ledger } from '../ledger/ledger.js';
import { claimOfLeg, sealed } from './decisions.js';

/** Since when this key's decisions are kept in this database, under its MAC: `<instant> <mac>`. */
const SINCE = 'decisions_since';

function macOfSince(key: KeyObject, instant: string): string {
  return createHmac('sha256', key).update(`${SINCE} ${instant}`).digest('hex');
}

/**
 * At the first start with this coordinator's key, gives the intents that are under way a decision under it: a version before kept
 * none, and what a former key decided no longer counts. Claims of digital legs go on as they stand; what spends, formations and
 * listings, is to be decided again. Rule M-77.
 *
 * @returns since when decisions are kept under this key
 */
export async function takeOverIntents(
  { db, ledger, log }: { db: Db; ledger: Pick<Ledger, 'coordinator' | 'decisionKey'>; log: Logger },
  now: Date,
): Promise<Date> {
  const { decisionKey } = ledger;
  const name = `${SINCE}:${ledger.coordinator.address}`;
  const { since, taken } = await inTransaction(db, async (trx) => {
    await lockMeta(trx);
    const [instant = '', mac] = (await readMeta(trx, name))?.split(' ') ?? [];
    if (mac === macOfSince(decisionKey, instant)) return { since: new Date(instant), taken: 0 };
    const intents = await intentsToVouchFor(trx);
    for (const intent of intents) await takeOver(trx, decisionKey, intent, now);
    await setMeta(trx, name, `${now.toISOString()} ${macOfSince(decisionKey, now.toISOString())}`);
    return { since: now, taken: intents.length };
  });
  if (taken > 0) log.warn({ intents: taken }, 'intents from before decisions were kept under this key are taken over');
  return since;
}

async function takeOver(trx: Trx, key: KeyObject, intent: OutboxRow, at: Date): Promise<void> {
  const leg = 'legId' in intent.payload ? await findDigitalLeg(trx, claimOf(intent).legId) : undefined;
  const chosen = leg === undefined ? null : JSON.stringify(claimOfLeg(intent.kind, leg));
  const { unique_key, kind, subject } = intent;
  await insertDecision(trx, sealed(key, { unique_key, kind, subject, considered: null, chosen, decided_at: at }));
}
