import { type Client, type ClientBase, Pool } from 'pg';
import { vi } from 'vitest';

/** A step of how PostgreSQL carried a statement out, as EXPLAIN tells it. */
interface Step {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Step[];
}

/** A statement's reading of one table or index. */
export interface Reading {
  statement: string;
  /** Seq Scan, Index Scan, …, and of what. */
  step: string;
  /** Rows that it looked at, whether it took them or not. */
  rows: number;
}

/**
 * Has PostgreSQL tell how it carried out each statement in the database from now on, on connections that are opened later.
 *
 * @param superuser of the test server, in any database
 */
export async function explainAll(superuser: Client, database: string): Promise<void> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    // Of thousands of rows PostgreSQL would rather read all than look up a page of them; of millions it would not.
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
  };
  for (const [name, value] of Object.entries(settings))
    await superuser.query(`alter database ${database} set ${name} = '${value}'`);
}

/** Hears what each pool's connections, once opened, read of tables. @returns what was read so far, and an end to it */
export function hearReadings(): { readings: Reading[]; stop: () => void } {
  const readings: Reading[] = [];
  const emit = Reflect.get(Pool.prototype, 'emit') as (...args: unknown[]) => boolean;
  const spy = vi.spyOn(Pool.prototype, 'emit').mockImplementation(function (this: Pool, name: string, ...args) {
    if (name === 'connect')
      (args[0] as ClientBase).on('notice', ({ message }) => readings.push(...readingsOf(message)));
    return emit.call(this, name, ...args);
  } as typeof emit);
  return { readings, stop: () => spy.mockRestore() };
}

function readingsOf(notice: string | undefined): Reading[] {
  const [, json] = /^duration: .* plan:\n(.*)$/s.exec(notice ?? '') ?? [];
  if (json === undefined) return [];
  const { 'Query Text': statement, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: Step };
  return scansOf(plan).map((step) => ({
    statement,
    step: [step['Node Type'], step['Relation Name'], step['Index Name']].filter(Boolean).join(' '),
    rows: rowsOf(step),
  }));
}

/** The steps that read a table or an index, and not what others read. */
function scansOf(step: Step): Step[] {
  const isScan = step['Node Type'].endsWith('Scan') && ('Relation Name' in step || 'Index Name' in step);
  return [...(isScan ? [step] : []), ...(step.Plans ?? []).flatMap(scansOf)];
}

/** Figures of a step are those of one loop. */
function rowsOf(step: Step): number {
  const once =
    step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0);
  return Math.round(once * step['Actual Loops']);
}
