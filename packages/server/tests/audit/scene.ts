import { audit, type AuditReport } from '@legwork/audit';
import { getListPackageInstruction, packageAddress, vaultAddress } from '@legwork/program-client';
import { createUuid, uuidToBytes } from '@legwork/protocol/contract';
import { confirmLeg, listPackage, type PackageDetail } from '@legwork/sdk';
import { address, type Instruction } from '@solana/kit';
import { sql } from 'kysely';
import type { AppContext } from '../../src/context.js';
import { findPackage } from '../../src/packages/packageRows.js';
import type { PackageRow } from '../../src/db/schema.js';
import { readFormedSwarm } from '../../src/ledger/accounts.js';
import {
  cancelPackageInstruction,
  closePackageInstruction,
  reclaimPackageInstruction,
} from '../../src/ledger/packageInstructions.js';
import { bidInput, confirmAll, draft, formedPackage, type Place, untilPackage } from '../support/market.js';
import type { Party, TestService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';
import { until } from '../support/until.js';

/** A package in each state that the ledger knows. */
export interface Scene {
  listed: string;
  /** Two legs, the first confirmed. */
  inTransit: string;
  /** Two legs; settled. */
  delivered: string;
  /** Settled, its account closed. */
  closed: string;
  cancelled: string;
  /** Two legs, the first confirmed and paid. */
  reclaimed: string;
}

const TWO_LEGS: [Place, Place, number][] = [
  ['zoo', 'hauptbahnhof', 0.03],
  ['hauptbahnhof', 'ostkreuz', 0.05],
];
/** Long enough for the couriers to be in time, sooner than the deadlines of the other packages. */
const SOON_SEC = 6 * 3600;

interface Market {
  shipper: Party;
  couriers: Party[];
  parcel: PackageDetail;
}

async function send(service: TestService, { signer }: Party, instruction: Instruction): Promise<string> {
  return land(service, await signed(service, [signer], [instruction]));
}

async function rowOf(service: TestService, id: string): Promise<PackageRow> {
  const row = await findPackage(service.db, id);
  if (!row) throw new Error(`package ${id} is not there`);
  return row;
}

/** Asks the database until the package's row is as `done` says. */
const untilRow = (service: TestService, id: string, done: (row: PackageRow) => boolean) =>
  until(`the row of package ${id}`, async () => done(await rowOf(service, id)));

async function confirmFirst(service: TestService, { couriers, parcel }: Market): Promise<void> {
  const [, second] = couriers;
  const leg = parcel.swarm?.legs[0];
  if (!second || !leg) throw new Error('two couriers carry it');
  await confirmLeg(second.client, service.rpc, second.signer, leg.id);
}

async function delivered(service: TestService): Promise<Market> {
  const market = await formedPackage(service, TWO_LEGS);
  await confirmAll(service, market);
  await untilPackage(service, market.parcel.id, ({ status }) => status === 'delivered');
  return market;
}

async function cancelled(service: TestService, { ledger }: AppContext): Promise<string> {
  const shipper = await service.party();
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  await send(service, shipper, cancelPackageInstruction(ledger, await rowOf(service, id), shipper.signer));
  await untilRow(service, id, ({ status }) => status === 'failed');
  return id;
}

async function soonDue(service: TestService): Promise<Market> {
  const shipper = await service.party();
  const deadline = new Date(Date.now() + SOON_SEC * 1000).toISOString();
  const { id } = await listPackage(shipper.client, shipper.signer, draft({ deadline }));
  const couriers: Party[] = [];
  for (const [from, to, costSol] of TWO_LEGS) {
    const courier = await service.party(1);
    await courier.client.submitBid(bidInput(courier, id, from, to, costSol));
    couriers.push(courier);
  }
  const parcel = await untilPackage(service, id, ({ status }) => status === 'in_transit');
  return { shipper, couriers, parcel };
}

async function reclaim(service: TestService, { ledger }: AppContext, { shipper, parcel }: Market): Promise<void> {
  // The ledger's clock counts whole seconds, and may be one behind.
  await service.advanceTime(SOON_SEC + 10);
  const swarm = await readFormedSwarm(ledger, parcel.onChainPackage);
  if (!swarm) throw new Error('the ledger shows its swarm');
  await send(
    service,
    shipper,
    reclaimPackageInstruction(ledger, await rowOf(service, parcel.id), swarm, shipper.signer),
  );
  await untilRow(service, parcel.id, ({ status }) => status === 'failed');
}

async function closed(service: TestService, { ledger }: AppContext): Promise<string> {
  const { shipper, parcel } = await delivered(service);
  await send(service, shipper, closePackageInstruction(ledger, await rowOf(service, parcel.id), shipper.signer));
  await untilRow(service, parcel.id, ({ close_signature: signature }) => signature !== null);
  return parcel.id;
}

/** Plays all of them on the service. */
export async function playScene(service: TestService): Promise<Scene> {
  const context = await service.context();
  try {
    const shipper = await service.party();
    const { id: listed } = await listPackage(shipper.client, shipper.signer, draft());
    const failing = await soonDue(service);
    await confirmFirst(service, failing);
    const carried = await formedPackage(service, TWO_LEGS);
    await confirmFirst(service, carried);
    const ids = {
      listed,
      inTransit: carried.parcel.id,
      delivered: (await delivered(service)).parcel.id,
      closed: await closed(service, context),
      cancelled: await cancelled(service, context),
      reclaimed: failing.parcel.id,
    };
    await reclaim(service, context, failing);
    return ids;
  } finally {
    await context.db.destroy();
  }
}

/** Lists a package with a wallet and the ledger alone. @returns its id */
export async function listWithoutService(service: TestService, termsHash = new Uint8Array(32)): Promise<string> {
  const { signer } = await service.party();
  const context = await service.context();
  await context.db.destroy();
  const { programAddress, configAddress: config } = context.ledger;
  const id = createUuid();
  const parcel = await packageAddress(programAddress, signer.address, uuidToBytes(id));
  const instruction = getListPackageInstruction(
    {
      funder: signer,
      shipper: signer,
      config,
      package: parcel,
      vault: await vaultAddress(programAddress, parcel),
      packageId: uuidToBytes(id),
      maxBudget: 1_000_000n,
      deadline: BigInt(Math.floor(Date.now() / 1000)) + 86_400n,
      termsHash,
    },
    { programAddress: address(programAddress) },
  );
  await land(service, await signed(service, [signer], [instruction]));
  return id;
}

/** Audits the service's database. What differs is read again at once: nothing moves in these tests. */
export function auditOf(
  service: TestService,
  changes: Partial<Parameters<typeof audit>[0]> = {},
): Promise<AuditReport> {
  const { DATABASE_URL = '', SOLANA_RPC_URL = '', RELAY_PROGRAM_ID = '', PERSONAL_DATA_KEYS } = service.environment();
  return audit({
    databaseUrl: DATABASE_URL,
    rpcUrl: SOLANA_RPC_URL,
    programId: RELAY_PROGRAM_ID,
    personalDataKeys: PERSONAL_DATA_KEYS,
    pause: () => Promise.resolve(),
    ...changes,
  });
}

/** The findings as lines. */
export function linesOf(findings: AuditReport['differences']): string[] {
  return findings.map(({ subject, text }) => `${subject}: ${text}`);
}

const TABLES = [
  'packages',
  'bids',
  'swarms',
  'legs',
  'leg_moves',
  'evidence',
  'private_parts',
  'private_readings',
  'decisions',
  'digital_tasks',
  'digital_legs',
  'artifacts',
  'barred_agents',
  'reputations',
  'earnings',
  'events',
  'ledger_transactions',
] as const;

/** Keeps the mirror as it is now, to be put back. */
export async function saveMirror({ db }: TestService): Promise<void> {
  await sql`create schema saved`.execute(db);
  for (const table of TABLES) {
    await sql`create table saved.${sql.table(table)} as table ${sql.table(table)}`.execute(db);
  }
}

export async function restoreMirror({ db }: TestService): Promise<void> {
  const insertions = TABLES.map(
    (table) => sql`${sql.ref(`put_${table}`)} as (
      insert into ${sql.table(table)} overriding system value select * from saved.${sql.table(table)})`,
  );
  await db.transaction().execute(async (trx) => {
    await sql`truncate ${sql.join(TABLES.map((table) => sql.table(table)))}`.execute(trx);
    // In one statement, because bids and legs refer to each other.
    await sql`with ${sql.join(insertions)} select`.execute(trx);
  });
}
