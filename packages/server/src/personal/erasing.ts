import type { AppContext } from '../context.js';
import type { ListingRow } from '../db/listings.js';
import { type Kind, PACKAGE, TASK } from '../listings/kinds.js';
import { dueForErasure, keysInUse } from './erasure.js';
import { inTransaction } from '../db/transaction.js';
import { type Loop, startLoop } from '../loop.js';
import { sealFormer } from './sealFormer.js';
import { vacuumErased } from './vacuum.js';

const EVERY_MS = 60 * 60_000;
const BATCH = 100;

type Erasing = Pick<AppContext, 'db' | 'ledger' | 'config' | 'patience' | 'keyRing' | 'clock' | 'log'>;

/** Erases what ended so long ago. @returns how many packages and digital tasks */
export async function eraseDue(context: Erasing): Promise<number> {
  if (context.config.personalDataDays === 0) return 0;
  return (await eraseDueOf(context, PACKAGE)) + (await eraseDueOf(context, TASK));
}

async function eraseDueOf<Draft extends ListingRow, Row extends Draft>(
  context: Erasing,
  kind: Kind<Draft, Row>,
): Promise<number> {
  const { db, config, log } = context;
  let erased = 0;
  let after: string | undefined;
  do {
    const ids = await dueForErasure(db, kind.noun, { days: config.personalDataDays, after, limit: BATCH });
    for (const id of ids) {
      erased += await eraseOne(context, kind, id).catch((error: unknown) => {
        // One that cannot be erased holds up no other.
        log.warn({ err: error, kind: kind.noun, id }, 'personal data was not erased');
        return 0;
      });
    }
    after = ids.at(-1);
  } while (after !== undefined);
  return erased;
}

/** Another replica, or its lister, may have been first. @returns 1, or 0 then */
function eraseOne<Draft extends ListingRow, Row extends Draft>(
  { db, ledger }: Erasing,
  kind: Kind<Draft, Row>,
  id: string,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const row = await kind.lock(trx, id);
    if (row === undefined || row.erased_at !== null) return 0;
    await kind.erase(trx, id, { call: null, decisionKey: ledger.decisionKey });
    return 1;
  });
}

/** Once an hour: erases what is due, rewrites the tables that held it, and destroys the keys that nothing is left of. Rules S-145, S-146. */
export function startErasing(context: Erasing): Loop {
  const { db, keyRing, clock, log } = context;
  return startLoop({
    name: 'erasing',
    log,
    pollMs: EVERY_MS,
    async round() {
      const sealed = keyRing && (await sealFormer(db));
      if (sealed) log.info({ rows: sealed }, 'personal data of former versions sealed');
      const erased = await eraseDue(context);
      if (erased > 0) log.info({ erased }, 'personal data erased');
      if (await vacuumErased(context)) log.info('tables that held erased personal data rewritten');
      const destroyed = await keyRing?.destroy(await keysInUse(db, await keyRing.months()), clock());
      if (destroyed?.length) log.info({ months: destroyed }, 'keys of personal data destroyed');
      return false;
    },
  });
}
