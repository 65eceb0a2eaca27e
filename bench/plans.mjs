// What the statements of a database took and read, by PostgreSQL's own account: pg_stat_statements, and auto_explain's plans in the
// server's log.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const pg = createRequire(new URL('../packages/server/package.json', import.meta.url))('pg');

/** Rows of a table that is worth an index. */
const LARGE = 1_000;
const SHOWN = 15;

/** Lets somebody with all rights ask. */
async function asSuperuser({ poolConfig }, work) {
  const superuser = new pg.Client({ ...poolConfig, user: 'postgres' });
  await superuser.connect();
  try {
    return await work(superuser);
  } finally {
    await superuser.end();
  }
}

/** A PostgreSQL that can count what statements take, and does not yet. @param start starts one on the same folder each time */
export async function counting(start) {
  const first = await start();
  await asSuperuser(first, (superuser) =>
    superuser.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`),
  );
  await first.stop();
  const postgres = await start();
  await asSuperuser(postgres, async (superuser) => {
    await superuser.query('create extension if not exists pg_stat_statements');
    await superuser.query('alter system set pg_stat_statements.track_planning = on');
    await superuser.query(`alter system set pg_stat_statements.track = 'none'`);
    await superuser.query('select pg_reload_conf()');
  });
  return postgres;
}

/** Shows what each statement of some work takes, for each of `count`: milliseconds by the clock, so that waiting for a lock or the processor counts. */
export async function showTimes(postgres, count, work) {
  const track = async (superuser, what) => {
    await superuser.query(`alter system set pg_stat_statements.track = '${what}'`);
    await superuser.query('select pg_reload_conf(), pg_stat_statements_reset()');
  };
  await asSuperuser(postgres, async (superuser) => {
    await track(superuser, 'top');
    await work();
    const { rows } = await superuser.query(
      `
      select calls::float8 / $1 as calls, total_exec_time / $1 as ms, plans::float8 / $1 as plans, total_plan_time / $1 as planning,
        shared_blks_hit::float8 / $1 as pages, regexp_replace(query, '[[:space:]]+', ' ', 'g') as statement
      from pg_stat_statements order by total_exec_time + total_plan_time desc`,
      [count],
    );
    const sum = (name) => rows.reduce((all, row) => all + row[name], 0).toFixed(1);
    console.log(
      `statements: ${sum('calls')} in ${sum('ms')} ms, of which ${sum('plans')} planned in ${sum('planning')} ms more`,
    );
    const shown = ({ statement, ...figures }) => ({
      ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(2))])),
      statement: statement.slice(0, 110),
    });
    console.table(rows.slice(0, SHOWN).map(shown));
    await track(superuser, 'none');
  });
}

/** Has PostgreSQL write each plan to its log, on new connections. */
export async function explain(postgres) {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
  };
  await asSuperuser(postgres, async (superuser) => {
    for (const [name, value] of Object.entries(settings))
      await superuser.query(`alter database relay set ${name} = '${value}'`);
    await superuser.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'relay'`);
  });
}

/** The plans in the server's log. */
async function* plansOf(file) {
  let json;
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    if (json !== undefined && line.startsWith('\t')) {
      json.push(line);
      continue;
    }
    if (json !== undefined) yield JSON.parse(json.join('\n'));
    json = /duration: .* plan:$/.test(line) ? [] : undefined;
  }
}

const stepsOf = (step) => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

/** What each statement read: the most rows in one step and the most pages in all, by its text. */
export async function readings(file, rowsOf) {
  const statements = new Map();
  for await (const { 'Query Text': text, Plan: plan } of plansOf(file)) {
    const key = text.replaceAll(/\s+/g, ' ').trim();
    const known = statements.get(key) ?? { times: 0, pages: 0, rows: 0, through: new Set() };
    known.times += 1;
    known.pages = Math.max(known.pages, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
    for (const step of stepsOf(plan)) {
      if (!step['Node Type'].endsWith('Scan')) continue;
      const looked =
        step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0);
      known.rows = Math.max(known.rows, Math.round(looked * step['Actual Loops']));
      const table = step['Relation Name'];
      if (step['Node Type'] === 'Seq Scan' && rowsOf.get(table) >= LARGE) known.through.add(table);
    }
    statements.set(key, known);
  }
  return [...statements].map(([statement, known]) => ({ statement, ...known, through: [...known.through].join(' ') }));
}

export function showReadings(all, lived) {
  const row = ({ statement, ...read }) => ({ ...read, statement: statement.slice(0, 110) });
  console.log(`${all.length} statements in the lives of ${lived} packages; those that read the most pages:`);
  console.table(
    all
      .toSorted((a, b) => b.pages - a.pages)
      .slice(0, SHOWN)
      .map(row),
  );
  console.log('those that looked at the most rows in one step:');
  console.table(
    all
      .toSorted((a, b) => b.rows - a.rows)
      .slice(0, SHOWN)
      .map(row),
  );
  const through = all.filter(({ through }) => through !== '');
  console.log(`through a table of more than ${LARGE} rows without an index: ${through.length}`);
  if (through.length > 0) console.table(through.map(row));
}
