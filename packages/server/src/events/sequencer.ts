import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { AppContext } from '../context.js';
import type { Db } from '../db/connect.js';
import type { LoggedEvent } from '../db/events.js';
import { type Loop, startLoop } from '../loop.js';

/** PostgreSQL channel on which the sequencer says up to which number there are events: readers query the log. */
export const EVENTS_CHANNEL = 'relay_events';
/** How often the sequencer and the readers look without a hint, milliseconds. Hints may be lost; polling is the guarantee. */
export const POLL_MS = 1000;

/** Pause after a batch, so that a burst of commits shares the next one (and its NOTIFY). A lone event never waits. */
const COALESCE_MS = 4;
const BATCH = 1000;
/** Any constant that differs from the other advisory locks of this database. */
const LOCK_KEY = 0x72656c6179;

/**
 * Gives every committed event its `seq`.
 *
 * A bigserial alone would not do: transactions take their numbers when they insert and become visible when they commit,
 * in any order. A reader at number 8 could then miss 7 forever, because 7 was still uncommitted when it looked. Here only
 * committed events get a number, from one replica at a time (which holds the lock until the numbers themselves are
 * visible), so a reader that has seen `seq` has seen everything below it. Rule S-30.
 */
export function startSequencer({
  db,
  log,
  numbered,
  wakers,
}: Pick<AppContext, 'db' | 'log' | 'numbered' | 'wakers'>): Loop {
  return startLoop({
    name: 'sequencer',
    log,
    pollMs: POLL_MS,
    waker: wakers.sequencer,
    async round() {
      const { events, mayBeMore } = await numberEvents(db);
      if (events.length > 0) numbered.emit('events', events);
      await sleep(COALESCE_MS);
      return mayBeMore;
    },
  });
}

/**
 * Numbers one batch, in one statement: every formation waits for it. There may be more when another replica is numbering (it may
 * have begun before our commit), or the batch was full.
 */
async function numberEvents(db: Db): Promise<{ events: LoggedEvent[]; mayBeMore: boolean }> {
  // Its snapshot may be older than the lock: what another replica numbered in between is found again and, by the last
  // condition, left alone, which only leaves a gap. Within a batch the order is that of the ids: an event inserted after
  // another was committed has the larger id.
  const { rows } = await sql<{ locked: boolean; found: number } & (LoggedEvent | { seq: null })>`
    with lock as materialized (select pg_try_advisory_xact_lock(${LOCK_KEY}) as locked),
      batch as materialized (
        select id from events where seq is null and (select locked from lock) order by id limit ${BATCH}),
      numbered as materialized (select id, nextval('event_seq') as seq from batch),
      written as (
        update events set seq = numbered.seq from numbered
        where events.id = numbered.id and events.seq is null
        returning events.seq, type, payload, personal, occurred_at as "occurredAt"),
      told as materialized (
        select pg_notify(${EVENTS_CHANNEL}, max(seq)::text) from written having max(seq) is not null)
    select locked, (select count(*) from batch)::int4 as found, (select count(*) from told), written.*
    from lock left join written on true order by written.seq`.execute(db);
  const [round] = rows;
  const events = rows.filter((row) => row.seq !== null);
  return { events, mayBeMore: round?.locked !== true || round.found === BATCH };
}
