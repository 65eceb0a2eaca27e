// How long `legwork audit` takes, and how much memory, for a history of that many transactions: packages of two legs and
// digital tasks of four, made on a ledger of its own with the rows that mirror them. No service runs meanwhile.
// Run it after `npm run build`: node bench/audit.mjs [transactions, 100000 unless given]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reputationAddress } from '@legwork/program-client';
import { audit } from '@legwork/audit';
import { startPostgres } from '@legwork/postgres';
import { AT_ONCE, land, makeListing, startMadeLedger } from './madeLedger.mjs';

const TRANSACTIONS = Number(process.argv[2] ?? 100_000);
/** Of so many listings two are still under way. */
const OPEN_EVERY = 20;
const TABLES = ['packages', 'bids', 'swarms', 'legs', 'digital_tasks', 'digital_legs', 'events'];

const pg = createRequire(new URL('../packages/server/package.json', import.meta.url))('pg');

/** The audit in a process of its own, so that what it takes is its own. */
async function auditAlone(sources) {
  let readings = 1;
  const pause = async () => {
    readings += 1;
  };
  const report = await audit({ ...sources, pause, tell: (line) => console.log(line) });
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.send({ ...report, readings, megabytes: maxRSS / 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 });
  process.disconnect();
}

async function main() {
  const data = await mkdtemp(join(tmpdir(), 'legwork-bench-'));
  let ledger;
  let postgres;
  try {
    ledger = await startMadeLedger(data);
    const { scene } = ledger;
    postgres = await startPostgres({ dataDir: data });
    await makeHistory(scene, postgres.connectionString);
    const { rpcUrl, programAddress: programId } = scene;
    await measure({ databaseUrl: postgres.connectionString, rpcUrl, programId });
  } finally {
    await ledger?.stop();
    await postgres?.stop();
    await rm(data, { recursive: true, force: true });
  }
}

/** Packages and digital tasks by turns, one pair in ten still under way, until there are transactions enough. */
async function makeHistory(scene, connectionString) {
  const database = new pg.Client({ connectionString });
  await database.connect();
  // The rows are those of a version that kept no decisions.
  await database.query(`delete from meta where key like 'decisions_since:%'`);
  const history = new History(scene, database);
  const begun = performance.now();
  while (history.transactions < TRANSACTIONS) await history.goOn();
  await history.end();
  await database.end();
  console.log(`history made in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}

/** What was made so far. */
class History {
  transactions = 0;
  #scene;
  #database;
  #listings = 0;
  #events = 0;
  /** Legs by agent. Everybody completed what they accepted. */
  #worked = new Map();

  constructor(scene, database) {
    this.#scene = scene;
    this.#database = database;
  }

  async goOn() {
    const made = await Promise.all(Array.from({ length: AT_ONCE }, () => this.#make()));
    const rows = await land(this.#scene, made);
    for (const table of TABLES) {
      const ofTable = rows.flatMap((one) => one[table] ?? []);
      await this.#insert(table, table === 'events' ? ofTable.map((event) => this.#numbered(event)) : ofTable);
    }
    for (const { address } of made.flatMap(({ workers }) => workers)) {
      this.#worked.set(address, (this.#worked.get(address) ?? 0) + 1);
    }
    this.transactions += made.reduce((sum, { transactions }) => sum + transactions.length, 0);
  }

  /** Reputations, and statistics for the planner, as a database in use has them. */
  async end() {
    const { programAddress } = this.#scene;
    const rows = [...this.#worked].map(async ([agent, legs]) => ({
      agent_pubkey: agent,
      on_chain_pda: await reputationAddress(programAddress, agent),
      legs_accepted: legs,
      legs_completed: legs,
      reliability_score: 100,
      slot: 1,
    }));
    await this.#insert('reputations', await Promise.all(rows));
    await this.#database.query('analyze');
  }

  #make() {
    this.#listings += 1;
    return makeListing(this.#scene, this.#listings, this.#listings % OPEN_EVERY < 2);
  }

  #numbered(event) {
    this.#events += 1;
    return { seq: this.#events, ...event };
  }

  async #insert(table, rows) {
    if (rows.length === 0) return;
    const columns = Object.keys(rows[0]).join(', ');
    await this.#database.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [JSON.stringify(rows)],
    );
  }
}

async function measure(sources) {
  const child = fork(fileURLToPath(import.meta.url), {
    env: { ...process.env, AUDIT_SOURCES: JSON.stringify(sources) },
  });
  const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof answer !== 'object' || answer === null) throw new Error(`the audit ended without a report: ${answer}`);
  const { differences, notes, compared, seconds, readings, megabytes, cpuSeconds } = answer;
  if (differences.length + notes.length > 0 || readings > 1)
    throw new Error(JSON.stringify([...differences, ...notes].slice(0, 5)));
  const listings = `${compared.packages} packages, ${compared.digitalTasks} digital tasks and ${compared.events} events`;
  console.log(
    `audit of ${compared.transactions} transactions with ${listings}: ${seconds.toFixed(1)} s ` +
      `(${cpuSeconds.toFixed(1)} s of CPU), at most ${megabytes.toFixed(0)} MB`,
  );
}

if (process.env.AUDIT_SOURCES) await auditAlone(JSON.parse(process.env.AUDIT_SOURCES));
else await main();
