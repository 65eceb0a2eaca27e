import type { AppContext } from '../context.js';
import type { Db } from '../db/connect.js';
import { type Loop, startLoop } from '../loop.js';
import { marksOf } from './words.js';
import { setMarks, type Unmarked, unmarked } from './workRows.js';

const EVERY_MS = 60_000;
const BATCH = 500;

/** The texts by whose words a row is found. */
async function textsOf(db: Db, { id, listing_id: listingId, kind }: Unmarked): Promise<string[]> {
  if (kind !== 'leg') {
    const row = await db.selectFrom('packages').select('description').where('id', '=', listingId).executeTakeFirst();
    return row ? [row.description] : [];
  }
  const row = await db
    .selectFrom('digital_legs')
    .innerJoin('digital_tasks', 'digital_tasks.id', 'digital_legs.task_id')
    .select(['title', 'description', 'instruction'])
    .where('digital_legs.id', '=', id)
    .executeTakeFirst();
  return row ? [row.title, row.description, row.instruction] : [];
}

/**
 * Marks what was listed before there were marks, or keys, or by an earlier version that runs beside this one. Rule M-86.
 *
 * @returns how many
 */
export async function markWork({ db, keyRing, clock }: Pick<AppContext, 'db' | 'keyRing' | 'clock'>): Promise<number> {
  const rows = await unmarked(db, keyRing !== undefined, BATCH);
  for (const row of rows) await setMarks(db, row.id, await marksOf({ db, keyRing }, await textsOf(db, row), clock()));
  return rows.length;
}

/** At the start, and then once a minute. */
export function startMarking(context: AppContext): Loop {
  return startLoop({
    name: 'marking',
    log: context.log,
    pollMs: EVERY_MS,
    round: async () => (await markWork(context)) === BATCH,
  });
}
