// How long `legwork audit` takes, and how much memory, for a history of that many transactions: packages of two legs and
// digital tasks of four, made on a ledger of its own with the rows that mirror them. No service runs meanwhile.
// Run it after `npm run build`: node bench/audit.mjs [transactions, 100000 unless given]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configAddress, reputationAddress } from '@legwork/program-client';
import { createLegworkClient } from '@legwork/sdk';
import { audit } from '@legwork/audit';
import { startPostgres } from '@legwork/postgres';
import * as kit from '@solana/kit';
import { legwork } from '../examples/dist/demo/command.js';
import { startInstance } from '../examples/dist/demo/instance.js';
import { makePackage } from './auditPackages.mjs';
import { makeTask } from './auditTasks.mjs';

const TRANSACTIONS = Number(process.argv[2] ?? 100_000);
/** Listings whose transactions are sent together: their blockhash is young enough, their JSON small enough. */
const AT_ONCE = 30;
/** Of so many listings two are still under way. */
const OPEN_EVERY = 20;
const WALLETS = 20;
const DEADLINE_SEC = 90 * 86_400;
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
    const programId = await makeFolder(data);
    ledger = legwork(['ledger', '--data', data, '--port', '0'], {});
    const [ready] = await once(ledger.child, 'message');
    const { rpcUrl } = ready.ledger;
    postgres = await startPostgres({ dataDir: data });
    const scene = await prepare(data, rpcUrl, programId);
    await makeHistory(scene, postgres.connectionString);
    await measure({ databaseUrl: postgres.connectionString, rpcUrl, programId });
  } finally {
    // A ledger that was started by a process is stopped by that process's word.
    ledger?.child.send({ type: 'close' });
    await ledger?.ended;
    await postgres?.stop();
    await rm(data, { recursive: true, force: true });
  }
}

/** A data folder as the service leaves it. @returns the program's address */
async function makeFolder(data) {
  const { url, stop } = await startInstance(data, { ledgerPort: 0 });
  const { programId } = await createLegworkClient({ url }).getConfig();
  await stop();
  return programId;
}

async function call(rpcUrl, calls) {
  const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })));
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answers = await response.json();
  return answers.map(({ result, error }) => {
    if (error) throw new Error(JSON.stringify(error));
    return result;
  });
}

/** Wallets with money, and what every instruction names. */
async function prepare(data, rpcUrl, programId) {
  const secret = JSON.parse(await readFile(join(data, 'ledger', 'coordinator-keypair.json'), 'utf8'));
  const coordinator = await kit.createKeyPairSignerFromBytes(Uint8Array.from(secret));
  const wallets = () => Promise.all(Array.from({ length: WALLETS }, () => kit.generateKeyPairSigner()));
  const [shippers, agents] = [await wallets(), await wallets()];
  const funded = [coordinator, ...shippers, ...agents];
  await call(
    rpcUrl,
    funded.map(({ address }) => ['requestAirdrop', [address, 10_000 * 1e9]]),
  );
  const config = await configAddress(programId);
  const deadline = Math.floor(Date.now() / 1000) + DEADLINE_SEC;
  return { rpcUrl, programAddress: programId, config, coordinator, shippers, agents, deadline };
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
    const make = this.#listings % 2 === 0 ? makePackage : makeTask;
    return make(this.#scene, this.#listings, this.#listings % OPEN_EVERY < 2);
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

/** Sends the transactions in their order. @returns the rows of each listing */
async function land({ rpcUrl }, listings) {
  const [{ value: lifetime }] = await call(rpcUrl, [['getLatestBlockhash', [{ commitment: 'confirmed' }]]]);
  const signed = await Promise.all(
    listings.map(({ transactions }) => Promise.all(transactions.map((one) => sign(one, lifetime)))),
  );
  const config = { encoding: 'base64', skipPreflight: true };
  await call(
    rpcUrl,
    signed.flat().map((one) => ['sendTransaction', [kit.getBase64EncodedWireTransaction(one), config]]),
  );
  return listings.map(({ rows }, index) => rows(signed[index].map((one) => kit.getSignatureFromTransaction(one))));
}

function sign({ payer, instructions }, lifetime) {
  const message = kit.pipe(
    kit.createTransactionMessage({ version: 0 }),
    (m) => kit.setTransactionMessageFeePayerSigner(payer, m),
    (m) => kit.setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) => kit.appendTransactionMessageInstructions(instructions, m),
  );
  return kit.signTransactionMessageWithSigners(message);
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
