import { join } from 'node:path';
import { createLegworkClient, listPackage } from '@legwork/sdk';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../src/config.js';
import type { AppContext } from '../../src/context.js';
import type { Db } from '../../src/db/connect.js';
import { erasePackage, eraseTask, keysInUse } from '../../src/personal/erasure.js';
import { MARK } from '../../src/db/sealing.js';
import { inTransaction } from '../../src/db/transaction.js';
import { sealFormer } from '../../src/personal/sealFormer.js';
import { vacuumErased } from '../../src/personal/vacuum.js';
import { startServer } from '../../src/startServer.js';
import { BEFORE_SEALING } from '../operators/formerSchema.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { draft } from '../support/market.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { completedTask, deliveredPackage, inFiles, PATTERNS, TEXTS } from './scene.js';

const sealing = withService();
/** As one was before rows were sealed, and as one is without keys. */
const plain = withService({ settings: (usual) => ({ ...usual, PERSONAL_DATA_KEYS: '' }) });

async function contextOf(service: TestService): Promise<AppContext> {
  const context = await service.context();
  onTestFinished(() => context.db.destroy());
  return context;
}

interface Told {
  shipper: Party;
  id: string;
  poster: Party;
  task: { id: string };
}

/** A delivered package and a completed task, with an answer that a repeat would get again. */
async function told(service: TestService): Promise<Told> {
  const { shipper, id } = await deliveredPackage(service);
  const { poster, task } = await completedTask(service);
  const { listSignature } = await shipper.client.getPackage({ packageId: id });
  await shipper.client.submitPackage({ packageId: id, signature: listSignature }, { idempotencyKey: id });
  await untilQuiet(service);
  return { shipper, id, poster, task };
}

/** Everything that is shown of it. */
async function shown({ shipper, id, poster, task }: Told) {
  const { client } = shipper;
  const [parcel, bids, events, seen, taskEvents, relays] = await Promise.all([
    client.getPackage({ packageId: id }),
    client.listBids({ packageId: id }),
    client.listEvents({ package: id }),
    poster.client.getDigitalTask({ taskId: task.id }),
    client.listEvents({ task: task.id }),
    client.listRelays({ status: 'delivered' }),
  ]);
  return { parcel, bids, events, seen, taskEvents, relays };
}

/** Puts rows back to how a version before kept them. */
async function asBefore(db: Db): Promise<void> {
  for (const statement of BEFORE_SEALING) await sql.raw(statement).execute(db);
}

/**
 * No file holds any of it. A transaction that began before may be under way for a moment, and a busy machine may take too long for a
 * table.
 */
const rewritten = (context: AppContext, service: TestService) =>
  vi.waitFor(
    async () => {
      await sql`delete from meta where key = 'vacuumed_at'`.execute(context.db);
      const warnings: unknown[] = [];
      const log = { warn: (entry: unknown) => warnings.push(entry) } as unknown as AppContext['log'];
      expect(await vacuumErased({ ...context, log })).toBe(true);
      expect(warnings).toEqual([]);
      expect(await inFiles(service)).toEqual([]);
    },
    { timeout: 50_000, interval: 50 },
  );

/** A client of the database that knows nothing of keys. */
async function bareClient(service: TestService): Promise<Client> {
  const client = new Client(service.environment()['DATABASE_URL']);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Every row of every table, as a dump holds it. */
async function dumped(client: Client): Promise<string> {
  const tables = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ text: string }>(`select row_to_json(kept)::text as text from ${name} kept`);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

async function eraseAll({ db, ledger: { decisionKey } }: AppContext): Promise<void> {
  const erasing = { call: null, decisionKey };
  await inTransaction(db, async (trx) => {
    for (const { id } of await trx.selectFrom('packages').select('id').execute()) await erasePackage(trx, id, erasing);
    for (const { id } of await trx.selectFrom('digital_tasks').select('id').execute())
      await eraseTask(trx, id, erasing);
  });
}

const LATER = new Date(Date.now() + 62 * 86_400_000);

test('without keys it is in no file once its lister had it erased and the tables were rewritten (S-144, S-146)', {
  timeout: 120_000,
}, async () => {
  const service = plain.current;
  const context = await contextOf(service);
  const { shipper, id, poster, task } = await told(service);
  await asBefore(service.db);
  await sql`analyze`.execute(service.db);
  expect(await inFiles(service)).toEqual(Object.keys(PATTERNS).sort());
  await shipper.client.erasePackageData({ packageId: id });
  await poster.client.eraseTaskData({ taskId: task.id });
  await rewritten(context, service);
  // Not again as long as there is nothing new.
  expect(await vacuumErased(context)).toBe(false);
});

describe('what is personal', () => {
  test('is in no file of the database while everybody reads it (S-148)', async () => {
    const one = await told(sealing.current);
    await sql`analyze`.execute(sealing.current.db);
    expect(await inFiles(sealing.current)).toEqual([]);
    const { parcel, bids, seen } = await shown(one);
    expect(parcel).toMatchObject({ description: TEXTS.description, originLat: 52.50741234, destLng: 13.46947891 });
    expect(parcel.swarm?.legs[0]).toMatchObject({ pickupLat: 52.50742468, dropoffLng: 13.46947891 });
    expect(bids.items).toMatchObject([{ reasoning: TEXTS.reasoning, pickupLng: 13.33261357 }]);
    expect(seen).toMatchObject({ title: TEXTS.title, description: TEXTS.goal });
    expect(seen.legs).toMatchObject([{ instruction: TEXTS.instruction, result: TEXTS.result }]);
  });

  test('cannot be read from a dump any more once the key of its month is destroyed (S-141, S-148)', async () => {
    const service = sealing.current;
    const context = await contextOf(service);
    const one = await told(service);
    const bare = await bareClient(service);
    const dump = await dumped(bare);
    const asText = Object.entries(PATTERNS).filter(([name]) => !/column|event/u.test(name));
    expect(asText.filter(([, bytes]) => dump.includes(bytes.toString()))).toEqual([]);
    const former = await bare.query<{ description: string }>('select description from packages where id = $1', [
      one.id,
    ]);
    const [{ description } = { description: '' }] = former.rows;
    expect(description.startsWith(MARK)).toBe(true);

    const months = (await context.keyRing?.months()) ?? [];
    const destroy = async () => context.keyRing?.destroy(await keysInUse(context.db, months), LATER);
    expect(await destroy()).toEqual([]);
    await eraseAll(context);
    await sql`delete from idempotency_keys`.execute(context.db);
    expect(await destroy()).toEqual(months);

    // The part in the dump is brought back.
    await bare.query('update packages set description = $2 where id = $1', [one.id, description]);
    const parcel = await context.db.selectFrom('packages').select('description').where('id', '=', one.id).execute();
    expect(parcel).toEqual([{ description: 'erased' }]);
  });

  test('that stood there before is sealed once, shown as ever, and then in no file (S-146, S-148)', {
    timeout: 120_000,
  }, async () => {
    const service = plain.current;
    const one = await told(service);
    await asBefore(service.db);
    await sql`analyze`.execute(service.db);
    expect(await inFiles(service)).toEqual(Object.keys(PATTERNS).sort());
    const before = await shown(one);
    const context = await contextOf(service);
    expect(context.keyRing).toBeDefined();
    expect(await sealFormer(context.db)).toBeGreaterThan(5);
    expect(await sealFormer(context.db)).toBeUndefined();
    await sql`delete from idempotency_keys`.execute(service.db);
    await rewritten(context, service);
    const keyed = await startServer(loadConfig({ ...service.environment(), LOG_LEVEL: 'silent' }));
    onTestFinished(() => keyed.close());
    const seenBy = (party: Party) => ({
      ...party,
      client: createLegworkClient({ url: keyed.url, signer: party.signer }),
    });
    expect(await shown({ ...one, shipper: seenBy(one.shipper), poster: seenBy(one.poster) })).toEqual(before);
  });
});

test('a text that is sealed is opened for nobody who hands it in: none with its mark is taken (S-148)', async () => {
  const { client, pubkey } = await sealing.current.party(0);
  const profile = { agentPubkey: pubkey, displayName: `${MARK}2026-11:AAAA` };
  expect(await refusalOf(client.updateAgent(profile))).toMatchObject({ status: 400, code: 'invalid_input' });
});

test('a service does not start without a key that something under way is sealed with (S-148)', async () => {
  const shipper = await sealing.current.party(3);
  await listPackage(shipper.client, shipper.signer, draft());
  for (const keys of ['', join(inject('scratch'), 'other-keys')]) {
    const config = loadConfig({ ...sealing.current.environment(), LOG_LEVEL: 'silent', PERSONAL_DATA_KEYS: keys });
    await expect(startServer(config)).rejects.toThrow(/the keys of \d{4}-\d{2} are not there/u);
  }
});
