/*
 * Events tell subscribers what the ledger has shown, each once and in one order for everybody.
 *
 * An event is a row, written in the transaction of the fact that it tells, without a number. The sequencer numbers what is committed,
 * and the fan-out hands numbered events to the sockets of this process.
 *
 * - Numbers follow commits, not inserts: who has seen number 8 has seen everything below it. A bigserial would not do, since a
 *   transaction takes its number early and becomes visible late, in any order (decision 0005). One replica numbers at a time.
 * - Hints are hints. The commit wakes this process's sequencer, NOTIFY the other replicas' readers; both look every second anyway, and
 *   that is what the order and the completeness rest on.
 * - A subscriber names the last number that it has and is told the rest from the log. Live events and those from the log meet without a
 *   gap and without a repetition.
 * - A frame is encoded once for all who get it. A socket that does not read is closed: it holds up nobody, and resumes later.
 *
 * Invariants: an event and its fact in one transaction, and no number before the commit.
 */
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
 * Gives every committed event its `seq`, from one replica at a time, which holds the lock until the numbers themselves are visible.
 * Rule S-30.
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
        returning events.seq, type, subject, payload, personal, occurred_at as "occurredAt"),
      told as materialized (
        select pg_notify(${EVENTS_CHANNEL}, max(seq)::text) from written having max(seq) is not null)
    select locked, (select count(*) from batch)::int4 as found, (select count(*) from told), written.*
    from lock left join written on true order by written.seq`.execute(db);
  const [round] = rows;
  const events = rows.filter((row) => row.seq !== null);
  return { events, mayBeMore: round?.locked !== true || round.found === BATCH };
}
