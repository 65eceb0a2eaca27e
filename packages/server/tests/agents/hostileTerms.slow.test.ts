import type { MoveAction } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import getPort from 'get-port';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { listedWithTerms, legNow } from '../operations/turns/scene.js';
import { bidInput, PLACES, untilPackage } from '../support/market.js';
import { type Party, TestService } from '../support/service.js';
import { fundedKey, openedBridge } from './bridgeClient.js';
import { FORGERY_NAMES, type Forgery } from './forgeries.js';
import { forgery, LyingService } from './lyingService.js';
import { PATIENT, policyAgent, runDaemon } from './support/agents.js';

const arbiter = await generateKeyPairSigner();
const OTHER = (await generateKeyPairSigner()).address;
let service: TestService;
let liar: LyingService;

beforeAll(async () => {
  const port = await getPort({ host: '127.0.0.1' });
  const settings = () => ({ PUBLIC_URL: `http://127.0.0.1:${port}`, ARBITER_PUBKEY: arbiter.address });
  service = await TestService.start({ settings });
  liar = await LyingService.start(port, service.server.url, service.ledger.rpcUrl);
});
beforeEach(() => liar.tell((_, said) => said));
afterAll(async () => {
  await liar.close();
  await service.close();
});

/** Another version, a fee within the bound, and where a change meets nothing, or only the fee. */
const MAY_DO_NO_HARM: ReadonlySet<Forgery> = new Set([
  'legacy',
  'hugeFee',
  'anotherInstruction',
  'bytes',
  'mostBudget',
]);
const LIMITS = { stakePerLeg: 0.1, stakeInAll: 1 };
const HASH = 'ab'.repeat(32);

/** A wallet with a reputation account behind a bridge to the service that lies. */
async function carrier() {
  const owner = await fundedKey(service);
  const bridge = await openedBridge({ key: owner.key, service: liar.url, limits: { ...LIMITS } });
  await bridge.answerOf('open_reputation');
  await expect.poll(() => bridge.answerOf('svc_get_reputation')).toMatchObject({ mirroredAt: expect.any(String) });
  return { ...owner, ...bridge };
}
type Carrier = Awaited<ReturnType<typeof carrier>>;

/** A leg with terms that the wallet won. */
async function wonBy(model: Carrier): Promise<{ shipper: Party; packageId: string; legId: string }> {
  const { shipper, parcel } = await listedWithTerms(service, { arbiterPubkey: arbiter.address });
  const { agentPubkey: _own, ...bid } = bidInput(shipper, parcel.id, 'zoo', 'ostkreuz', 0.05);
  await model.answerOf('svc_submit_bid', bid);
  const { swarm } = await untilPackage(service, parcel.id, ({ status }) => status === 'in_transit');
  return { shipper, packageId: parcel.id, legId: swarm?.legs[0]?.id ?? '' };
}

/** Every build of a move is this transaction. */
async function build(model: Carrier, legId: string, action: MoveAction, more: object = {}) {
  const { client } = await service.party(0);
  const { transaction } = await client.buildTurnTx({ legId, action, pubkey: model.pubkey, ...more });
  liar.tell((path, said) =>
    path === '/turns/build-tx' ? { ...said, body: JSON.stringify({ ...JSON.parse(said.body), transaction }) } : said,
  );
}

const within = <T extends { body: string }>(said: T, path: RegExp, at: string, change: (body: string) => string): T =>
  path.test(at) ? { ...said, body: change(said.body) } : said;

describe('of packages with terms, a service that lies gets nothing signed', () => {
  test('by building a move in any other form (A-79)', async () => {
    const model = await carrier();
    const { packageId, legId } = await wonBy(model);
    const before = liar.signed.length;
    for (const name of FORGERY_NAMES.filter((one) => !MAY_DO_NO_HARM.has(one))) {
      liar.tell(forgery(name, Math.random, model.pubkey));
      const { isError } = await model.call('make_move', { packageId, legId, action: 'accept' });
      expect([name, isError]).toEqual([name, true]);
    }
    expect(liar.signed.slice(before)).toEqual([]);
  });

  test.for([
    ['a pickup for a promise', 'accept', 'take', {}],
    ['a promise for notice', 'vacate', 'accept', {}],
    ['a pickup for notice', 'vacate', 'take', {}],
  ] as const)('by building %s (A-79)', async ([, asked, built]) => {
    const model = await carrier();
    const { packageId, legId } = await wonBy(model);
    const before = liar.signed.length;
    await build(model, legId, built);
    expect(await model.refusalOf('make_move', { packageId, legId, action: asked })).toMatchObject({
      code: 'transaction_refused',
    });
    expect(liar.signed.slice(before)).toEqual([]);
  });

  test('by building a promise to carry another leg (A-79)', async () => {
    const model = await carrier();
    const [asked, other] = [await wonBy(model), await wonBy(model)];
    const before = liar.signed.length;
    await build(model, other.legId, 'accept');
    const accept = { packageId: asked.packageId, legId: asked.legId, action: 'accept' };
    expect(await model.refusalOf('make_move', accept)).toMatchObject({ code: 'transaction_refused' });
    expect(liar.signed.slice(before)).toEqual([]);
  });

  test('by naming other evidence in a claim (A-79)', async () => {
    const model = await carrier();
    const { packageId, legId } = await wonBy(model);
    for (const action of ['accept', 'take']) await model.answerOf('make_move', { packageId, legId, action });
    const before = liar.signed.length;
    await build(model, legId, 'claim', { hash: HASH });
    const claim = { packageId, legId, action: 'claim', text: 'In box 17.' };
    expect(await model.refusalOf('make_move', claim)).toMatchObject({ code: 'transaction_refused' });
    liar.tell((path, said) => within(said, /\/evidence$/, path, (body) => body.replace(/[0-9a-f]{64}/, HASH)));
    expect(await model.refusalOf('make_move', claim)).toMatchObject({ code: 'unknown_answer' });
    expect(liar.signed.slice(before)).toEqual([]);
  });

  test.for([
    ['the stake', (body: string) => body.replaceAll('"stake":"100000000"', '"stake":"10000000"')],
    ['the arbiter', (body: string) => body.replaceAll(arbiter.address, OTHER)],
    ['the clocks', (body: string) => body.replaceAll(/"carrySec":\d+/g, '"carrySec":86400')],
    ['there being terms', (body: string) => body.replace(/"terms":\{.*?\}/, '"terms":null')],
  ] as const)('by lying about %s (A-79)', async ([, lie]) => {
    const model = await carrier();
    const { packageId, legId } = await wonBy(model);
    const before = liar.signed.length;
    liar.tell((path, said) => within(said, /^\/packages\/[0-9a-f-]{36}$/, path, lie));
    const accept = { packageId, legId, action: 'accept' };
    expect(await model.refusalOf('make_move', accept)).toMatchObject({ code: 'transaction_refused' });
    expect(liar.signed.slice(before)).toEqual([]);
  });
});

test('a worker daemon accepts nothing whose stake the service made smaller than it is (A-9, A-45)', async () => {
  const worker = { run: { command: ['true'] } };
  const limits = { stakePerLeg: 0.01, stakeInAll: 0.01 };
  const agent = await policyAgent(service, { service: liar.url, worker, limits });
  liar.tell((_, said) => ({
    ...said,
    body: said.body.replaceAll('"stake":"20000000"', '"stake":"2000000"'),
  }));
  const { task } = await postedTask(service, { terms: { arbiterPubkey: arbiter.address } });
  const { told } = await runDaemon([agent]);
  await expect.poll(() => told.join('\n'), PATIENT).toMatch(/the stake .* is 20000000, and 2000000 by the service/);
  await untilTask(service, task.id, ({ legs }) => legs[0]?.stage === 'pending');
  const signed = (await agent.journal()).filter(({ kind }) => kind === 'signed');
  expect(signed.map(({ instruction }) => instruction)).toEqual(['openReputation']);
});

describe('a courier daemon', () => {
  const { zoo, ostkreuz } = PLACES;
  const courier = {
    itinerary: [{ from: [zoo.lat, zoo.lng], to: [ostkreuz.lat, ostkreuz.lng] }],
    handoff: { how: 'auto' },
    claim: { how: 'auto' },
  };

  test('accepts nothing whose stake the service made smaller than it is (A-9, A-36)', async () => {
    const agent = await policyAgent(service, {
      service: liar.url,
      courier,
      limits: { stakePerLeg: 0.05, stakeInAll: 0.05 },
    });
    liar.tell((_, said) => ({
      ...said,
      body: said.body.replaceAll('"stake":"100000000"', '"stake":"10000000"'),
    }));
    const { parcel } = await listedWithTerms(service, { arbiterPubkey: arbiter.address });
    const { told } = await runDaemon([agent]);
    await expect.poll(() => told.join('\n'), PATIENT).toMatch(/the stake .* is 100000000, and 10000000 by the service/);
    expect((await legNow(service, parcel.id, 0)).stage).toBe('pending');
    const signed = (await agent.journal()).filter(({ kind }) => kind === 'signed');
    expect(signed.map(({ instruction }) => instruction)).toEqual(['openReputation']);
  });

  test('hands the same bytes in until the ledger says what became of them, whatever the service says (A-36)', async () => {
    const agent = await policyAgent(service, { service: liar.url, courier, limits: LIMITS });
    const isHandedIn = (path: string) => path === '/turns';
    const refusal = JSON.stringify({
      code: 'transaction_failed',
      status: 409,
      title: 'no',
      detail: 'It failed.',
      type: 'about:blank',
    });
    const { parcel } = await listedWithTerms(service, { arbiterPubkey: arbiter.address });
    // The service sends the move, and says that it failed.
    liar.tell((path, said) =>
      isHandedIn(path) && said.body.includes('signature') ? { status: 409, body: refusal } : said,
    );
    await runDaemon([agent]);
    await untilPackage(service, parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'carried');
    const stakes = (await agent.journal()).filter(({ stakeLamports, kind }) => kind === 'signed' && stakeLamports);
    expect(stakes).toHaveLength(1);
  });
});
