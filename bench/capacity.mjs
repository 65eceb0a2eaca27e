// What a market of a given size takes: services and cores, statements, disk, ledger transactions and their fees. It reckons from what
// was measured (bench/growth.mjs, bench/packages.mjs with `counts`) and from the assumptions below; docs/operators/capacity.md explains both.
// node bench/capacity.mjs [packages a day, 1000000 unless given] [agents, 100000000 unless given] [bids a package, 3 unless given]
import { getLegSize, getPackageSize, getReputationSize, getSwarmSize, rentMinimum } from '@legwork/program-client';

const PACKAGES = Number(process.argv[2] ?? 1e6);
const AGENTS = Number(process.argv[3] ?? 1e8);
const BIDS = Number(process.argv[4] ?? 3);

/**
 * Milliseconds of one core, bytes of the disk, and how often: of a package with three bids and two legs from its listing to its settlement, of
 * a further bid, of an agent, and of a look for work (`GET /work`). `followed`: what each further service adds by following it.
 */
const MEASURED = {
  package: {
    service: 58,
    database: 28,
    followed: { services: 15, database: 8 },
    kept: 42_000,
    log: 72_000,
    statements: 175,
    requests: 23,
    events: 10,
    units: { form: 13_170, settle: 5_648 },
  },
  bid: { service: 2.9, database: 2.2, kept: 3_200, log: 6_100, statements: 10, events: 1 },
  agent: { kept: 2_500 },
  read: { service: 2.4, database: 1 },
};

/** What is not measured. */
const ASSUMED = {
  /** The busiest hour, of an even day. */
  peak: 3,
  /** Of a core, before what waits for it becomes long. */
  busy: 0.7,
  /** Agents of a hundred that look for work on a day, and how often each looks. */
  lookingPercent: 1,
  looks: 24,
  /** Hours from a listing to its settlement, in which its accounts hold rent. */
  hours: 24,
};

const SECONDS = 86_400;
const LAMPORTS_A_SOL = 1e9;
const FEE = 5_000;
/** list, form, two confirmations, settle: a signature each. */
const TRANSACTIONS = 5;
const BIDS_MEASURED = 3;
const LEGS = 2;

/** Of one account that a block's transactions may write, the coordinator's among them; and blocks a second. */
const UNITS_A_BLOCK = 12e6;
const BLOCKS_A_SECOND = 2.5;

const further = BIDS - BIDS_MEASURED;
const each = (what) => MEASURED.package[what] + further * (MEASURED.bid[what] ?? 0);
const rate = PACKAGES / SECONDS;
const peak = rate * ASSUMED.peak;
const reads = ((AGENTS * ASSUMED.lookingPercent) / 100) * ASSUMED.looks;
const readPeak = (reads / SECONDS) * ASSUMED.peak;
const budget = 1000 * ASSUMED.busy;
const { followed } = MEASURED.package;

/** Services that share the work, while each of them follows all of it; infinite: each has enough to do with that. */
function services() {
  const left = budget - peak * followed.services;
  const work = peak * (each('service') - followed.services) + readPeak * MEASURED.read.service;
  return left > 0 ? Math.ceil(work / left) : Number.POSITIVE_INFINITY;
}

const count = services();
const database = each('database') + (count - 1) * followed.database;
const databaseCores = (peak * database + readPeak * MEASURED.read.database) / budget;
const rent =
  rentMinimum(getPackageSize()) +
  rentMinimum(0) +
  rentMinimum(getSwarmSize()) +
  BigInt(LEGS) * rentMinimum(getLegSize());
const open = rate * ASSUMED.hours * 3600;
const sol = (lamports) => Number(lamports) / LAMPORTS_A_SOL;
const show = (value, unit = '') =>
  `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 })}${unit && ` ${unit}`}`;
const GB = 1e9;

const rows = {
  'packages a second, on average / in the busiest hour': `${show(rate)} / ${show(peak)}`,
  'bids a day': show(PACKAGES * BIDS),
  'services, one core each': show(count),
  'cores of PostgreSQL': show(databaseCores),
  'of them for the lives of packages in one service': show((peak * each('database')) / budget),
  'of them for services that follow': show((peak * (count - 1) * followed.database) / budget),
  'of them for reads': show((readPeak * MEASURED.read.database) / budget),
  'connections of PostgreSQL, with DATABASE_POOL 10': show(count * 23),
  'statements a second, in the busiest hour': show(peak * each('statements')),
  'disk, a day': show((PACKAGES * each('kept')) / GB, 'GB'),
  'disk, a year': show((PACKAGES * each('kept') * 365) / GB / 1000, 'TB'),
  'disk for the agents': show((AGENTS * MEASURED.agent.kept) / GB, 'GB'),
  'log of writes, a day (replication, archive)': show((PACKAGES * each('log')) / GB, 'GB'),
  'events a day': show(PACKAGES * each('events')),
  'reads a second, in the busiest hour': show(readPeak),
  'requests to the ledger a second, in the busiest hour': show(peak * MEASURED.package.requests),
  'ledger transactions a day': show(PACKAGES * TRANSACTIONS),
  'ledger transactions a second, on average / in the busiest hour': `${show(rate * TRANSACTIONS)} / ${show(peak * TRANSACTIONS)}`,
  'fees a day, without priority': show(sol(PACKAGES * TRANSACTIONS * FEE), 'SOL'),
  'of them the coordinator pays': show(sol(PACKAGES * 2 * FEE), 'SOL'),
  'rent that open packages hold': show(sol(rent) * open, 'SOL'),
  'rent that closed packages leave, a day': show(sol(rentMinimum(0)) * PACKAGES, 'SOL'),
  'rent of reputations, if every agent works once': show(sol(rentMinimum(getReputationSize())) * AGENTS, 'SOL'),
};

console.log(`${show(PACKAGES)} packages a day with ${BIDS} bids and ${LEGS} legs each, ${show(AGENTS)} agents`);
for (const [name, value] of Object.entries(rows)) console.log(`${value.padStart(30)}  ${name}`);
const { form, settle } = MEASURED.package.units;
console.log(`One service, one core: ${show(budget / each('service'))} packages a second.`);
console.log(`However many services, on one database and ledger: fewer than ${show(budget / followed.services)}.`);
console.log(
  `One coordinator's account, by the units of a block: ${show((UNITS_A_BLOCK / (form + settle)) * BLOCKS_A_SECOND)}.`,
);
