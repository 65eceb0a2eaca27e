import type { WorkKind } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { keep, type Kept } from '../kept.js';

/** How often what is looked for comes, by what PostgreSQL counted lately. Only the way to what is found hangs on it. */
export interface Frequencies {
  rows: (kind: WorkKind) => number;
  /** Which part of a kind's rows has one of the marks of each word, if words come independently; 0 where one is not among the common. */
  share: (kind: WorkKind, words: readonly (readonly string[])[]) => number;
}

const AGE_MS = 60_000;
/** The rough size of a row, bytes, for tables that were never counted. */
const ROW_BYTES = 400;

async function readFrequencies(db: Db): Promise<Frequencies> {
  const { rows } = await sql<{ of: string; rows: number; marks: string[] | null; shares: number[] | null }>`
    select relname as of, case when reltuples < 0 then pg_relation_size(pg_class.oid) / ${ROW_BYTES} else reltuples end as rows, most_common_elems::text::text[] as marks, most_common_elem_freqs as shares
    from pg_class left join pg_stats on tablename = relname and schemaname = current_schema and attname = 'marks'
    where pg_class.oid in ('work_package'::regclass, 'work_opening'::regclass, 'work_leg'::regclass)`.execute(db);
  const known = new Map(
    rows.map(({ of, rows: count, marks, shares }) => [
      of,
      { count, shares: new Map(marks?.map((mark, at) => [mark, shares?.[at] ?? 0])) },
    ]),
  );
  return {
    rows: (kind) => known.get(`work_${kind}`)?.count ?? 0,
    share(kind, words) {
      const shares = known.get(`work_${kind}`)?.shares;
      const each = words.map((marks) => Math.max(0, ...marks.map((mark) => shares?.get(mark) ?? 0)));
      return each.reduce((share, one) => share * one, 1);
    },
  };
}

const frequencies = new WeakMap<Db, Kept<Frequencies>>();

/** At most a minute old. */
export function frequenciesOf(db: Db): Promise<Frequencies> {
  const kept = frequencies.get(db) ?? keep(() => readFrequencies(db), AGE_MS);
  frequencies.set(db, kept);
  return kept.recent();
}
