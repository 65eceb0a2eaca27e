import type { Db } from '../../src/db/connect.js';

/** Keeps the intents of a package, or of a digital task, from being carried out: an earlier one, which is not due yet, holds them back. */
export async function hold({ db }: { db: Db }, id: string, of: 'package' | 'task' = 'package'): Promise<void> {
  await db
    .insertInto('outbox')
    .values({
      kind: 'settle',
      subject: `${of}:${id}`,
      unique_key: `hold:${id}`,
      payload: JSON.stringify({ swarmId: id }),
      available_at: new Date(Date.now() + 3_600_000),
    })
    .execute();
}

/** Lets the intents of a package or a digital task be carried out again. */
export async function letGo({ db }: { db: Db }, id: string): Promise<void> {
  await db.deleteFrom('outbox').where('unique_key', '=', `hold:${id}`).execute();
}
