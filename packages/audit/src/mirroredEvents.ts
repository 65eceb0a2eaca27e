import type { EventType } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Trx } from './database.js';
import { ROWS_AT_ONCE } from './rowBatches.js';

/** Events that say what the ledger shows; those about bids and claims have nothing there to be compared with. */
const LEDGER_EVENTS = [
  'PACKAGE_LISTED',
  'SWARM_FORMED',
  'BID_RECEIVED',
  'LEG_CONFIRMED',
  'PACKAGE_DELIVERED',
  'PACKAGE_FAILED',
  'TASK_LISTED',
  'TASK_LEG_ASSIGNED',
  'TASK_LEG_RELEASED',
  'TASK_LEG_COMPLETED',
  'TASK_COMPLETED',
  'TASK_FAILED',
] as const satisfies readonly EventType[];

export interface MirroredEvent {
  /** Null: not numbered yet. */
  seq: bigint | null;
  type: (typeof LEDGER_EVENTS)[number];
  /** `package:<id>` or `task:<id>`. */
  subject: string;
  /** In the wire form. */
  payload: Record<string, unknown>;
}

type Group = [MirroredEvent, ...MirroredEvent[]];

/** The events of one subject after the other, in the order of the subjects. There is no index for that: one sort does. */
async function* eventsBySubject(trx: Trx): AsyncGenerator<Group, undefined> {
  await sql`declare audited_events no scroll cursor for
    select seq, type, subject, payload from events where type in (${sql.join(LEDGER_EVENTS)})
    order by subject collate "C", seq, id`.execute(trx);
  let group: Group | undefined;
  for (;;) {
    const { rows } = await sql<MirroredEvent>`fetch ${sql.lit(ROWS_AT_ONCE)} from audited_events`.execute(trx);
    for (const event of rows) {
      if (group?.[0].subject === event.subject) {
        group.push(event);
        continue;
      }
      if (group) yield group;
      group = [event];
    }
    if (rows.length < ROWS_AT_ONCE) break;
  }
  if (group) yield group;
}

/** The event log, read once from its first subject to its last. */
export class MirroredEvents {
  /** How many were read. */
  count = 0;
  readonly #groups: AsyncGenerator<Group, undefined>;
  readonly #stray: (event: MirroredEvent) => void;
  #next: IteratorResult<Group, undefined> | undefined;

  /**
   * @param trx - one in which the database stands still
   * @param stray - hears of every event whose subject nobody asked for
   */
  constructor(trx: Trx, stray: (event: MirroredEvent) => void) {
    this.#groups = eventsBySubject(trx);
    this.#stray = stray;
  }

  /** The events of the subject, in the order of their numbers. Subjects are asked for in their order. */
  async of(subject: string): Promise<readonly MirroredEvent[]> {
    for (;;) {
      const next = await this.#peek();
      if (next === undefined || next[0].subject > subject) return [];
      this.#next = undefined;
      this.count += next.length;
      if (next[0].subject === subject) return next;
      next.forEach(this.#stray);
    }
  }

  /** Those after the subject that was asked for last. */
  async rest(): Promise<void> {
    for (let next = await this.#peek(); next; next = await this.#peek()) {
      this.#next = undefined;
      this.count += next.length;
      next.forEach(this.#stray);
    }
  }

  async #peek(): Promise<Group | undefined> {
    this.#next ??= await this.#groups.next();
    return this.#next.value;
  }
}

/** How many events there are, how many of them have a number, and how many numbers that is. */
export async function countEventNumbers(trx: Trx): Promise<{ all: bigint; numbered: bigint; distinct: bigint }> {
  return trx
    .selectFrom('events')
    .select(({ fn }) => [
      fn.countAll<bigint>().as('all'),
      fn.count<bigint>('seq').as('numbered'),
      fn.count<bigint>('seq').distinct().as('distinct'),
    ])
    .executeTakeFirstOrThrow();
}
