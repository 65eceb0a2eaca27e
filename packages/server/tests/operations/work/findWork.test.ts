import { type OpenWork, toLamports } from '@legwork/protocol/contract';
import type { Insertable } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PackagesTable } from '../../../src/db/schema.js';
import { personal } from '../../../src/db/sealing.js';
import { runs } from '../../../src/operations/index.js';
import { markWork } from '../../../src/work/marking.js';
import { sweepClosedWork } from '../../../src/work/workRows.js';
import { startService, type TestService } from '../../http/service.js';
import { withTestDatabase } from '../../support/database.js';
import { insertPackages, newWallet, packageRow } from '../../support/packageRows.js';
import { migrateAt } from '../../support/service.js';
import { claimedBy, completedBy, insertTasks, legRow, taskRow } from '../digitalTasks/rows.js';

const database = withTestDatabase(migrateAt, 'service');
let service: TestService;

const HOUR_MS = 3_600_000;
const hence = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
const SOL = 1_000_000_000n;
const sol = (amount: number) => toLamports(BigInt(Math.round(amount * 1e9)));
const berlin = { origin_lat: 52.52, origin_lng: 13.405 };
/** 10 km and 25.1 km to the north. */
const north = (km: number) => ({ ...berlin, origin_lat: 52.52 + km / 111.195 });
const boundTo = (arbiterPubkey: string, stakeLamports: number) =>
  JSON.stringify({
    receiverPubkey: null,
    arbiterPubkey,
    stakeLamports,
    carrySec: 3600,
    handoffSec: 600,
    reviewSec: 600,
    arbitrationSec: 600,
    cosignedPickup: false,
  });

const [shipper, agent, arbiter, blocked] = await Promise.all([newWallet(), newWallet(), newWallet(), newWallet()]);

const parcel = (text: string, changes: Partial<Insertable<PackagesTable>>) =>
  packageRow({
    ...berlin,
    dest_lat: 52.52,
    dest_lng: 13.7,
    deadline: hence(48),
    max_budget_lamports: sol(0.5),
    ...changes,
    description: personal(text),
  });

const packages = {
  violin: parcel('A violin, handle with care', { shipper_pubkey: shipper }),
  paella: parcel('Paëlla pans for a Müller restaurant', { ...north(10), max_budget_lamports: sol(2) }),
  far: parcel('books', { ...north(25.1), dest_lat: 48.1, dest_lng: 11.6, max_budget_lamports: sol(1) }),
  bound: parcel('books with terms', { ...north(60), terms: boundTo(arbiter, Number(SOL)) }),
  required: parcel('a bike', {
    ...north(70),
    requirements: JSON.stringify({ capabilities: ['cargo bike', 'cold, dry'], minScore: 80, blocked: [blocked] }),
  }),
  forming: parcel('books', { status: 'swarm_forming' }),
  late: parcel('books', { deadline: hence(-1) }),
  delivered: parcel('books', { status: 'delivered', settle_signature: 's', refund_lamports: sol(0) }),
  draft: parcel('books', { status: 'draft', list_signature: null, listed_at: null }),
  soon: parcel('東京駅から京都駅まで運んでください', { deadline: hence(1), origin_lat: 35.68, origin_lng: 139.77 }),
};

const task = taskRow({
  title: personal('Translate the reports'),
  description: personal('From German into plain English'),
  max_budget_lamports: sol(0.9),
  num_legs: 3,
  status: 'in_progress',
  deadline: hence(30),
});
const legs = [
  legRow(task.id, 0, completedBy(agent, 300_000_000n)),
  legRow(task.id, 1, { instruction: personal('Translate chapter one') }),
  legRow(task.id, 2, { instruction: personal('Proofread') }),
];
const reserved = taskRow({ title: personal('Reserved'), deadline: hence(30) });
const names = new Map([
  ...Object.entries(packages).map(([name, { id }]) => [id, name] as const),
  ...legs.map(({ id }, index) => [id, `leg ${index}`] as const),
]);

beforeAll(async () => {
  service = await startService(database.connectionString, runs);
  await insertPackages(service.context.db, Object.values(packages));
  await insertTasks(service.context.db, [task, reserved], [...legs, legRow(reserved.id, 0, claimedBy(agent))]);
  await markWork(service.context);
});
afterAll(() => service.close());

async function ask(query: string) {
  const response = await fetch(`${service.url}/work?${query}`);
  const body = (await response.json()) as OpenWork[] & { errors?: { field: string; message: string }[] };
  const next = /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1];
  return { status: response.status, body, next };
}

async function found(query: string): Promise<string[]> {
  const { status, body } = await ask(query);
  expect([query, status]).toEqual([query, 200]);
  return body.map(({ packageId, legId }) => names.get(legId ?? packageId ?? '') ?? '?');
}

const ALL = ['leg 2', 'leg 1', 'soon', 'required', 'bound', 'far', 'paella', 'violin'];

describe('GET /work', () => {
  test('shows what takes bids or can be claimed, and nothing else, newest listings first (M-84)', async () => {
    expect(await found('')).toEqual(ALL);
    expect(await found('kind=package')).toEqual(ALL.slice(2));
    expect(await found('kind=leg')).toEqual(['leg 2', 'leg 1']);
    expect(await found('kind=opening')).toEqual([]);
  });

  test('says what an agent has to know before it bids or claims (M-84)', async () => {
    const { body } = await ask('q=violin');
    expect(body).toEqual([
      {
        kind: 'package',
        packageId: packages.violin.id,
        taskId: null,
        legId: null,
        legIndex: null,
        isWorkable: true,
        shipperPubkey: shipper,
        title: null,
        text: 'A violin, handle with care',
        asset: 'sol',
        decimals: 9,
        maxPay: '500000000',
        maxPaySol: 0.5,
        maxPayLamports: 500_000_000,
        originLat: 52.52,
        originLng: 13.405,
        destLat: 52.52,
        destLng: 13.7,
        distanceKm: expect.closeTo(19.96, 2) as number,
        weightKg: 1,
        volumeLitres: 1,
        hasTerms: false,
        stake: '0',
        stakeLamports: 0,
        terms: null,
        requirements: null,
        deadline: expect.any(String) as string,
        closesAt: expect.any(String) as string,
        biddingClosesAt: null,
        claimTimeoutSec: null,
      },
    ]);
    const [bound] = (await ask('hasTerms=true')).body;
    expect(bound?.terms).toMatchObject({ arbiterPubkey: arbiter, carrySec: 3600, handoffSec: 600 });
    const [last, first] = (await ask('kind=leg')).body;
    expect(first).toMatchObject({
      taskId: task.id,
      title: 'Translate the reports',
      text: 'Translate chapter one',
      maxPayLamports: 300_000_000,
      isWorkable: true,
      claimTimeoutSec: task.claim_timeout_sec,
    });
    expect(last?.isWorkable).toBe(false);
  });

  test('q finds words in any order, case, accent and form, of several languages, all of them (M-87)', async () => {
    expect(await found('q=VIOLINS')).toEqual(['violin']);
    expect(await found('q=paella+muller')).toEqual(['paella']);
    expect(await found('q=m%C3%BCllers+PAELLA')).toEqual(['paella']);
    expect(await found('q=translating')).toEqual(['leg 2', 'leg 1']);
    expect(await found('q=report+chapters')).toEqual(['leg 1']);
    expect(await found('q=the+german+report')).toEqual(['leg 2', 'leg 1']);
    expect(await found('q=%E4%BA%AC%E9%83%BD')).toEqual(['soon']);
    expect(await found('q=violin+paella')).toEqual([]);
    expect(await found('q=viol')).toEqual([]);
    // A word that says nothing is looked for where nothing else is asked.
    expect(await found('q=with')).toEqual(['bound', 'violin']);
  });

  test('takes operators and expressions for what they are, no words (M-87)', async () => {
    for (const text of ["violin' | !books", 'violin & (books', '.*', '%', "');drop table work;--", '<->', ':*', '\\']) {
      const names = await found(`q=${encodeURIComponent(text)}`);
      expect([text, names.length < 2]).toEqual([text, true]);
    }
    expect(await found('q=%7C!()')).toEqual([]);
    expect(await found(`q=${encodeURIComponent('violin:*')}`)).toEqual(['violin']);
  });

  test('capability keeps what requires it, by the words of requirements (M-84, T-53)', async () => {
    expect(await found('capability=cargo%20bike')).toEqual(['required']);
    expect(await found('capability=cold,%20dry')).toEqual(['required']);
    expect(await found('capability=cargo')).toEqual([]);
  });

  test('near keeps what starts within the radius, exactly, and nothing digital (M-84, M-5)', async () => {
    expect(await found('near=52.52,13.405')).toEqual(['paella', 'violin']);
    expect(await found('near=52.52,13.405&radiusKm=25.2')).toEqual(['far', 'paella', 'violin']);
    expect(await found('near=52.52,13.405&radiusKm=0.1')).toEqual(['violin']);
    expect(await found('near=90,0&radiusKm=20040')).toEqual(ALL.slice(2));
    expect(await found('near=0,0')).toEqual([]);
  });

  test('pay, pay a kilometre, stake, terms and deadline keep what they say (M-84)', async () => {
    expect(await found('minPaySol=0.5000001')).toEqual(['far', 'paella']);
    expect(await found('minPaySol=0.5')).toEqual(ALL.slice(2));
    expect(await found('minPaySolPerKm=0.08')).toEqual(['paella']);
    expect(await found('minPaySol=0.3&kind=leg')).toEqual(['leg 2', 'leg 1']);
    expect(await found('hasTerms=true')).toEqual(['bound']);
    expect(await found('hasTerms=false&kind=package')).toEqual(['soon', 'required', 'far', 'paella', 'violin']);
    expect(await found('maxStakeSol=0.999999999')).not.toContain('bound');
    expect(await found('maxStakeSol=1')).toEqual(ALL);
    expect(await found(`deadlineBefore=${hence(2).toISOString()}`)).toEqual(['soon']);
    expect(await found(`deadlineAfter=${hence(31).toISOString()}&q=violin`)).toEqual(['violin']);
    expect(await found(`deadlineAfter=${hence(31).toISOString()}`)).not.toContain('soon');
  });

  test('for keeps what the agent may take now: not its own, qualified, not barred (M-88)', async () => {
    const some = await newWallet();
    expect(await found(`for=${some}`)).toEqual(['leg 2', 'leg 1', 'soon', 'far', 'paella', 'violin']);
    expect(await found(`for=${shipper}`)).not.toContain('violin');
    // It has, or had, a leg of this task.
    expect(await found(`for=${agent}`)).toEqual(['soon', 'far', 'paella', 'violin']);
    const figures = {
      legs_accepted: 10n,
      legs_completed: 9n,
      reliability_score: 90,
      slot: 1n,
      mirrored_at: new Date(),
    };
    for (const key of [some, blocked, arbiter]) {
      const reputation = { agent_pubkey: key, on_chain_pda: await newWallet(), ...figures };
      await service.context.db.insertInto('reputations').values(reputation).execute();
    }
    expect(await found(`for=${some}`)).toContain('bound');
    expect(await found(`for=${arbiter}`)).not.toContain('bound');
    expect(await found(`for=${some}`)).not.toContain('required');
    const profile = { capabilities: ['cargo bike', 'cold, dry', 'more'], display_name: null };
    for (const pubkey of [some, blocked]) {
      await service.context.db
        .insertInto('agents')
        .values({ pubkey, ...profile })
        .execute();
    }
    expect(await found(`for=${some}`)).toEqual(ALL);
    expect(await found(`for=${blocked}`)).not.toContain('required');
  });

  test('comes in pages: no row twice, none missing (M-85)', async () => {
    for (const query of ['', 'near=52.52,13.405&radiusKm=20040', 'q=books']) {
      const seen: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page = await ask(`${query}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
        seen.push(...page.body.map(({ legId, packageId }) => names.get(legId ?? packageId ?? '') ?? '?'));
        cursor = page.next;
      }
      expect(seen).toEqual(await found(query));
    }
  });

  test('the lists of packages and tasks take the same arguments, and show then only what is open (M-84)', async () => {
    const listed = async (path: string) => {
      const response = await fetch(`${service.url}/${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      return ((await response.json()) as { id: string }[]).map(({ id }) => names.get(id) ?? id);
    };
    expect(await listed('packages?q=books')).toEqual(['bound', 'far']);
    expect(await listed('packages?q=books&status=delivered')).toEqual([]);
    expect(await listed('packages?minPaySolPerKm=0.08')).toEqual(['paella']);
    expect(await listed('packages?hasTerms=false&near=52.52,13.405')).toEqual(['paella', 'violin']);
    expect(await listed(`packages?q=violin&for=${shipper}`)).toEqual([]);
    expect(await listed('packages?q=violin&limit=1')).toEqual(['violin']);
    expect(await listed('digital-tasks?q=proofread')).toEqual([task.id]);
    expect(await listed('digital-tasks?q=reports')).toEqual([task.id]);
    expect(await listed('digital-tasks?q=reserved')).toEqual([]);
    expect(await listed('digital-tasks?minPaySol=0.31')).toEqual([]);
  });

  test('a cursor of another search, or of another list, is refused by its name (M-85)', async () => {
    const { next } = await ask('limit=1');
    for (const other of ['q=books', 'kind=package', 'near=1,1', `for=${agent}`]) {
      const refused = await ask(`${other}&limit=1&cursor=${next}`);
      expect([other, refused.status, refused.body.errors]).toEqual([
        other,
        400,
        [{ field: 'cursor', message: expect.stringContaining('is of another search') as string }],
      ]);
    }
    expect((await ask(`limit=2&cursor=${next}`)).status).toBe(200);
    const list = Buffer.from(JSON.stringify([task.id])).toString('base64url');
    expect((await ask(`cursor=${list}`)).body.errors?.[0]?.field).toBe('cursor');
  });

  test.each([
    ['q', 'q='],
    ['q', `q=${'a'.repeat(201)}`],
    ['q', 'q=%20%20'],
    ['q', `q=${Array.from({ length: 17 }, (_, index) => index + 100).join('+')}`],
    ['capability', `capability=${'a'.repeat(61)}`],
    ['radiusKm', 'radiusKm=3'],
    ['radiusKm', 'near=1,1&radiusKm=99999'],
    ['near', 'near=91,0'],
    ['minPaySol', 'minPaySol=-1'],
    ['minPaySol', 'minPaySol=1e3'],
    ['maxStakeSol', 'maxStakeSol=0.0000000001'],
    ['minPaySolPerKm', 'minPaySolPerKm=NaN'],
    ['hasTerms', 'hasTerms=maybe'],
    ['kind', 'kind=gig'],
    ['deadlineAfter', 'deadlineAfter=tomorrow'],
    ['deadlineBefore', 'deadlineBefore=1970-01-01T00:00:00Z'],
    ['for', 'for=me'],
    ['limit', 'limit=0'],
  ])('refuses a wrong %s by its name (S-3): %s', async (field, query) => {
    const { status, body } = await ask(query);
    expect([status, body.errors?.map((error) => error.field)]).toEqual([400, [field]]);
  });

  test('what closes is swept off the list, and stays off (M-84)', async () => {
    const swept = packages.late;
    expect(await sweepClosedWork(service.context.db)).toBeGreaterThan(0);
    const row = await service.context.db
      .selectFrom('work')
      .select('is_open')
      .where('id', '=', swept.id)
      .executeTakeFirstOrThrow();
    expect(row.is_open).toBe(false);
    expect(await sweepClosedWork(service.context.db)).toBe(0);
    expect(await found('')).toEqual(ALL);
  });
});
