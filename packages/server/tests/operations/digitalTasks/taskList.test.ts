import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../../../src/operations/index.js';
import { startService, type TestService } from '../../http/service.js';
import { withTestDatabase } from '../../support/database.js';
import { migrateAt } from '../../support/service.js';
import {
  assignedTo,
  claimedBy,
  completedBy,
  COMPLETED,
  DRAFT,
  insertTasks,
  legRow,
  newAddress,
  RECLAIMED,
  taskRow,
} from './rows.js';

const database = withTestDatabase(migrateAt, 'service');
let service: TestService;

const MINUTE_MS = 60_000;
const agent = newAddress();
const shipper = newAddress();
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);

const open = taskRow({ shipper_pubkey: shipper });
const draft = taskRow(DRAFT);
const half = taskRow({ status: 'in_progress', num_legs: 2 });
const taken = taskRow({ shipper_pubkey: shipper });
const working = taskRow({ status: 'in_progress' });
/** 30 minutes for the leg and 10 more: one minute is missing. */
const late = taskRow({ deadline: inMinutes(39) });
const soon = taskRow({ deadline: inMinutes(41) });
const done = taskRow(COMPLETED);
const failed = taskRow(RECLAIMED);
const tasks = [open, draft, half, taken, working, late, soon, done, failed];
const legs = [
  legRow(open.id, 0),
  legRow(draft.id, 0),
  legRow(half.id, 0, completedBy(agent, 2_000_000n)),
  legRow(half.id, 1),
  legRow(taken.id, 0, claimedBy(agent)),
  legRow(working.id, 0, assignedTo(agent)),
  legRow(late.id, 0),
  legRow(soon.id, 0),
  legRow(done.id, 0, completedBy(agent, 4_000_000n)),
  legRow(failed.id, 0, { status: 'failed' }),
];
const names = new Map(
  Object.entries({ open, half, taken, working, late, soon, done, failed }).map(([k, v]) => [v.id, k]),
);

interface Shown {
  id: string;
  legs: { legIndex: number; isOpen: boolean; isWorkable: boolean; dueAt: string | null }[];
}

beforeAll(async () => {
  service = await startService(database.connectionString, { listDigitalTasks: runs.listDigitalTasks });
  await insertTasks(service.context.db, tasks, legs);
});
afterAll(() => service.close());

async function get(query: string) {
  const response = await fetch(`${service.url}/digital-tasks?${query}`);
  const body: unknown = await response.json();
  const items = Array.isArray(body) ? (body as Shown[]) : [];
  return {
    status: response.status,
    body,
    items,
    names: items.map(({ id }) => names.get(id)),
    next: /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1],
  };
}

describe('listDigitalTasks', () => {
  test('(S-56) shows what is listed and more, newest first, and no draft', async () => {
    expect((await get('')).names).toEqual(['failed', 'done', 'soon', 'late', 'working', 'taken', 'half', 'open']);
    expect((await get('status=listed')).names).toEqual(['soon', 'late', 'taken', 'open']);
    expect((await get('status=in_progress')).names).toEqual(['working', 'half']);
    expect((await get('status=completed')).names).toEqual(['done']);
    expect((await get('status=failed')).names).toEqual(['failed']);
    expect((await get(`shipper=${shipper}`)).names).toEqual(['taken', 'open']);
    expect((await get(`shipper=${shipper}&open=true`)).names).toEqual(['open']);
  });

  test('(S-56, M-54) with open=true shows only tasks with a leg that can be claimed now: each leg says so too', async () => {
    const { names: shown, items } = await get('open=true');
    expect(shown).toEqual(['soon', 'half', 'open']);
    expect(items.every((task) => task.legs.some((leg) => leg.isOpen))).toBe(true);
    const { items: all } = await get('open=false');
    expect(all).toHaveLength(8);
    for (const task of all) {
      expect([names.get(task.id), task.legs.some((leg) => leg.isOpen)]).toEqual([
        names.get(task.id),
        shown.includes(names.get(task.id)),
      ]);
    }
    expect((await get('open=yes')).body).toMatchObject({ code: 'invalid_input', errors: [{ field: 'open' }] });
  });

  test('(M-56) tells which legs can be worked on, and until when', async () => {
    const { items } = await get('');
    const legsOf = (name: string) => items.find(({ id }) => names.get(id) === name)?.legs;
    expect(legsOf('half')).toMatchObject([
      { legIndex: 0, isOpen: false, isWorkable: true, dueAt: null },
      { legIndex: 1, isOpen: true, isWorkable: true, dueAt: null },
    ]);
    expect(legsOf('working')).toMatchObject([{ isOpen: false, isWorkable: true, dueAt: expect.any(String) }]);
    expect(legsOf('done')).toMatchObject([{ isOpen: false, isWorkable: false, dueAt: null }]);
    expect(legsOf('failed')).toMatchObject([{ isOpen: false, isWorkable: false }]);
  });

  test('(S-20) comes in pages with every task once', async () => {
    const seen: (string | undefined)[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const page = await get(`limit=3${cursor && `&cursor=${cursor}`}`);
      expect(page.items.length).toBeLessThanOrEqual(3);
      seen.push(...page.names);
      cursor = page.next;
    }
    expect(seen).toEqual(['failed', 'done', 'soon', 'late', 'working', 'taken', 'half', 'open']);
  });

  test('(S-35) the tool tells how many there are in all', async () => {
    const response = await fetch(`${service.url}/mcp/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tool: 'svc_list_digital_tasks', arguments: { open: true, limit: 1 } }),
    });
    const { structuredContent } = (await response.json()) as { structuredContent: { items: Shown[]; total: number } };
    expect([structuredContent.items.map(({ id }) => names.get(id)), structuredContent.total]).toEqual([['soon'], 3]);
  });
});
