import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/schema.js';

const SOURCES = join(import.meta.dirname, '../../src');
/** The files that change statuses, and those that make the tables. */
const MAY = /^db\/(transition\.ts$|migrations\/)/;
const TABLE = '(?:packages|swarms|legs|digital_tasks|digital_legs)';
/** In SQL, and as a query of Kysely's up to its condition; the end of a statement ends a match too. */
const WRITES = [
  new RegExp(`\\bupdate\\s+(?:only\\s+)?"?${TABLE}"?\\b[^;]*?\\bset\\b(?:(?!\\bwhere\\b)[^;])*?\\bstatus"?\\s*=`, 'i'),
  new RegExp(`updateTable\\(\\s*'${TABLE}[^']*'(?:(?!\\.where|\\.execute)[^;])*?\\bstatus\\b`),
];

function writesStatus(source: string): boolean {
  return WRITES.some((pattern) => pattern.test(source));
}

describe('the status of a package, swarm, leg, task or digital leg', () => {
  test('is changed in db/transition.ts and nowhere else (M-9)', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => relative(SOURCES, join(SOURCES, name)).replaceAll('\\', '/'));
    expect(files).toContain('db/transition.ts');
    const writers = files.filter((name) => !MAY.test(name) && writesStatus(readFileSync(join(SOURCES, name), 'utf8')));
    expect(writers).toEqual([]);
  });

  test.each([
    "sql`update packages set evaluate_at = null, status = 'listed' where id = ${id}`",
    'sql`\n  UPDATE "digital_legs" as l\n  set status = ${next}`',
    "trx.updateTable('swarms').set({ failure: null, status: 'failed' } as never).where('id', '=', id)",
    "trx\n  .updateTable('packages as p')\n  .set('status', next)\n",
  ])('is seen to be changed by %s', (source) => {
    expect(writesStatus(source)).toBe(true);
  });

  test.each([
    "trx.updateTable('packages').set({ evaluate_at: null }).where('status', '=', 'listed')",
    "sql`update legs set client = null where status = 'pending'`",
    "db.updateTable('outbox').set({ status: 'done' })",
  ])('is not changed by %s', (source) => {
    expect(writesStatus(source)).toBe(false);
  });

  test('cannot be set by a query that compiles', () => {
    const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('no query is run here')) });
    const db = new Kysely<Database>({ dialect });
    // @ts-expect-error -- status takes no update
    const queries = [db.updateTable('packages').set({ status: 'listed' })];
    // @ts-expect-error -- status takes no update
    queries.push(db.updateTable('swarms').set({ status: 'active' }) as never);
    // @ts-expect-error -- status takes no update
    queries.push(db.updateTable('legs').set({ status: 'completed' }) as never);
    // @ts-expect-error -- status takes no update
    queries.push(db.updateTable('digital_tasks').set({ status: 'listed' }) as never);
    // @ts-expect-error -- status takes no update
    queries.push(db.updateTable('digital_legs').set({ status: 'pending' }) as never);
    expect(queries.map((query) => query.compile().sql)).toHaveLength(5);
  });
});
