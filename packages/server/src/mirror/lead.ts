import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

/** So long a lead lasts without a renewal, seconds of the database's clock. */
const LASTS_SEC = 10;
const RENEW_MS = 3_000;
/** In `meta`: who leads, and until when. */
const KEY = 'lead';

/**
 * One replica at a time leads in following the ledger, so that not all of them do everything at once. It is a saving and no right: who
 * does not lead looks less often, and does what is left to do. Two leaders cost only their time. Rule S-51.
 */
export class Lead {
  readonly #db: Db;
  readonly #id = randomUUID();
  #isOurs = false;
  #asksAt = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** Takes the lead if it is free, or keeps it. It asks the database at most every three seconds. @returns whether it is ours */
  async take(): Promise<boolean> {
    if (Date.now() < this.#asksAt) return this.#isOurs;
    this.#asksAt = Date.now() + RENEW_MS;
    // A clock that was put back, or a value that is none, holds up nobody.
    const { rows } = await sql`
      insert into meta (key, value) values (${KEY}, ${this.#id} || ' ' || extract(epoch from now()) + ${LASTS_SEC})
      on conflict (key) do update set value = excluded.value
      where split_part(meta.value, ' ', 1) = ${this.#id} or case when meta.value ~ ' [0-9]+[.][0-9]+$'
        then split_part(meta.value, ' ', 2)::float8 - extract(epoch from now()) not between 0 and ${2 * LASTS_SEC} else true end
      returning key`.execute(this.#db);
    this.#isOurs = rows.length > 0;
    return this.#isOurs;
  }

  /** Lets another replica take the lead: before this one asks again, all others have. */
  async giveUp(): Promise<void> {
    this.#asksAt = Date.now() + RENEW_MS;
    if (!this.#isOurs) return;
    this.#isOurs = false;
    await sql`delete from meta where key = ${KEY} and split_part(value, ' ', 1) = ${this.#id}`.execute(this.#db);
  }
}
