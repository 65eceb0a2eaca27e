import { followEvents, type LegworkEvent } from '@legwork/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../events/log.js';
import { confirmAll, draft, formedPackage, untilPackage } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { claim, postedTask } from '../digitalTasks/scene.js';

const service = withService();
const NOWHERE = '01900000-0000-7000-8000-000000000000';

/** Everything that happened, oldest first, as the stream tells it. */
let told: LegworkEvent[];
let reader: Party;
let packageId: string;
let taskId: string;

beforeAll(async () => {
  const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]], draft());
  packageId = market.parcel.id;
  await confirmAll(service.current, market);
  await untilPackage(service.current, packageId, ({ status }) => status === 'delivered');
  const worker = await service.current.party(1);
  const { task } = await postedTask(service.current);
  taskId = task.id;
  await claim(worker, task, 0);
  await untilQuiet(service.current);
  reader = market.shipper;
  // A type that only a newer replica would append; it gets a number like every other event.
  await service.current.db
    .insertInto('events')
    .values({ type: 'NEWS', subject: `package:${packageId}`, payload: '{}' })
    .execute();
  const { db } = service.current;
  const waiting = db.selectFrom('events').select('id').where('seq', 'is', null);
  await until(async () => (await waiting.execute()).length === 0);
  told = await streamed();
});

async function streamed(): Promise<LegworkEvent[]> {
  const { db, server } = service.current;
  const { known } = await db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<bigint>().as('known'))
    .where('type', '<>', 'NEWS')
    .executeTakeFirstOrThrow();
  const events: LegworkEvent[] = [];
  for await (const event of followEvents({ url: server.url, since: 0 })) {
    events.push(event);
    if (events.length === Number(known)) break;
  }
  return events;
}

async function get(query: string): Promise<{ status: number; fields: string[]; message: string | undefined }> {
  const response = await fetch(`${service.current.server.url}/events?${query}`);
  const { errors = [] } = (await response.json()) as { errors?: { field: string; message: string }[] };
  return { status: response.status, fields: errors.map(({ field }) => field), message: errors[0]?.message };
}

describe('listEvents', () => {
  test('shows what the stream told, newest first (S-120)', async () => {
    expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(['PACKAGE_DELIVERED', 'TASK_LEG_ASSIGNED']));
    expect((await reader.client.listEvents()).items).toEqual(told.toReversed());
  });

  test('keeps those of one package or one task (S-120)', async () => {
    const of = (id: string) => told.filter((event) => Object.values(event).includes(id)).toReversed();
    expect((await reader.client.listEvents({ package: packageId })).items).toEqual(of(packageId));
    expect((await reader.client.listEvents({ task: taskId })).items).toEqual(of(taskId));
    expect((await reader.client.listEvents({ package: NOWHERE })).items).toEqual([]);
  });

  test('keeps those of some types, each once however often it is named (S-120)', async () => {
    const topics = ['TASK_LISTED', 'PACKAGE_LISTED', 'PACKAGE_LISTED', 'PACKAGE_FAILED'];
    const expected = told.filter(({ type }) => topics.includes(type)).toReversed();
    expect((await reader.client.listEvents({ topics: topics.join(',') })).items).toEqual(expected);
    expect((await reader.client.listEvents({ topics: topics.join(','), task: taskId })).items).toEqual(
      expected.filter(({ type }) => type === 'TASK_LISTED'),
    );
  });

  test('keeps those before a number (S-120)', async () => {
    const [, , third] = told;
    expect((await reader.client.listEvents({ before: third?.seq ?? 0 })).items).toEqual(told.slice(0, 2).toReversed());
    expect((await reader.client.listEvents({ before: 1 })).items).toEqual([]);
  });

  test.each([{}, { topics: 'PACKAGE_LISTED,TASK_LISTED,SWARM_FORMED' }, { before: 4 }, { package: 'its id' }])(
    'comes in pages without gap or repetition: %o (S-20)',
    async (given) => {
      const filter = { ...given, ...('package' in given && { package: packageId }) };
      const { items: whole } = await reader.client.listEvents(filter);
      const paged: LegworkEvent[] = [];
      for (let cursor: string | undefined, pages = 0; pages < 50; pages += 1) {
        const page = await reader.client.listEvents({ ...filter, limit: 1, ...(cursor !== undefined && { cursor }) });
        expect(page.items.length).toBeLessThanOrEqual(1);
        paged.push(...page.items);
        cursor = page.nextCursor;
        if (cursor === undefined) break;
      }
      expect(paged).toEqual(whole);
    },
  );

  test.each([
    ['topics=NEWS', 'topics'],
    ['topics=', 'topics'],
    ['topics=PACKAGE_LISTED,', 'topics'],
    ['before=0', 'before'],
    ['before=1e3', 'before'],
    ['before=9007199254740992', 'before'],
    ['package=7', 'package'],
    [`package=${NOWHERE}&task=${NOWHERE}`, 'task'],
    ['limit=201', 'limit'],
    [`cursor=${btoa('["-1"]')}`, 'cursor'],
    [`cursor=${btoa('["9007199254740993"]')}`, 'cursor'],
    ['since=1', 'since'],
  ])('refuses %s by its name (S-3)', async (query, field) => {
    expect(await get(query)).toMatchObject({ status: 400, fields: [field] });
  });
});
