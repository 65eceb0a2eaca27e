import type { Db } from '../../src/db/connect.js';

/** Keeps the intents of a package from being carried out: an earlier one, which is not due yet, holds them back. */
export async function hold({ db }: { db: Db }, packageId: string): Promise<void> {
  await db
    .insertInto('outbox')
    .values({
      kind: 'settle',
      subject: `package:${packageId}`,
      unique_key: `hold:${packageId}`,
      payload: JSON.stringify({ swarmId: packageId }),
      available_at: new Date(Date.now() + 3_600_000),
    })
    .execute();
}

/** Lets the intents of a package be carried out again. */
export async function letGo({ db }: { db: Db }, packageId: string): Promise<void> {
  await db.deleteFrom('outbox').where('unique_key', '=', `hold:${packageId}`).execute();
}
