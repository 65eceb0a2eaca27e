import { readFile } from 'node:fs/promises';
import { journalOf } from '@legwork/agents';
import { address } from '@solana/kit';
import getPort from 'get-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { draft } from '../support/market.js';
import { TestService } from '../support/service.js';
import { AskedOf } from './askedOf.js';
import { fundedKey, openedBridge, type Person } from './bridgeClient.js';
import { type Forgery, FORGERY_NAMES, type Random } from './forgeries.js';
import { drawCall, type Known, leakFinder, parcelToReceive } from './hostileCalls.js';
import { anyLie, askForTheKey, forgery, LyingService } from './lyingService.js';

const ROUNDS = 16;
const AT_ONCE = 4;
const WIDE = { perTransaction: 1, perDay: 2, inAll: 5 };
const LIMITS = { perTransaction: 0.015, perDay: 0.06, inAll: 0.09 };
const lamportsOf = (sol: number) => BigInt(Math.round(sol * 1e9));

let service: TestService;
let liar: LyingService;

beforeAll(async () => {
  const port = await getPort({ host: '127.0.0.1' });
  service = await TestService.start({ settings: () => ({ PUBLIC_URL: `http://127.0.0.1:${port}` }) });
  liar = await LyingService.start(port, service.server.url, service.ledger.rpcUrl);
});
afterAll(async () => {
  await liar.close();
  await service.close();
});

const DEADLINE = new Date(Date.now() + 86_400_000).toISOString();
const PARCEL = { ...draft({ maxBudgetSol: 0.01 }), deadline: DEADLINE };
const TASK = {
  title: 'Notes',
  description: 'Group.',
  legs: [{ instruction: 'Group.' }],
  maxBudgetSol: 0.01,
  deadline: DEADLINE,
};
/** Another version, a fee within the bound, and where a change meets nothing, or only the fee. */
const MAY_DO_NO_HARM: ReadonlySet<Forgery> = new Set([
  'legacy',
  'hugeFee',
  'anotherInstruction',
  'bytes',
  'mostBudget',
]);
const programId = () => service.ledger.keypairs.program.signer.address;

/** mulberry32. */
function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('whatever a service builds instead, nothing is signed but what was asked (A-73)', async () => {
  const owner = await fundedKey(service);
  const { call, answerOf } = await openedBridge({ key: owner.key, service: liar.url, limits: WIDE });
  const asked = new AskedOf(owner.pubkey, programId(), () => liar.salts);
  asked.package(PARCEL);
  asked.task(TASK);
  liar.tell((_, said) => said);
  const { packageId } = await answerOf('post_package', PARCEL);
  const end = { packageId: String(packageId) };
  await asked.end(end);
  const before = liar.signed.length;
  const done: Forgery[] = [];
  const harmful = FORGERY_NAMES.filter((name) => !MAY_DO_NO_HARM.has(name));
  for (const name of [...harmful, ...MAY_DO_NO_HARM]) {
    for (const [tool, args] of [
      ['post_package', PARCEL],
      ['post_task', TASK],
      ['cancel_or_reclaim', end],
    ] as const) {
      liar.tell(forgery(name, Math.random, owner.pubkey));
      if (!(await call(tool, args)).isError) done.push(name);
    }
  }
  const signed = liar.signed.slice(before);
  expect(signed.map((base64) => asked.costOf(base64)).length).toBeGreaterThan(1);
  expect(done.filter((name) => !MAY_DO_NO_HARM.has(name))).toEqual([]);
});

test('whatever a service answers, it asks a person nothing (A-72)', async () => {
  const owner = await fundedKey(service);
  const person: Person = { asked: [], answer: 'accept' };
  liar.tell((_, said) => said);
  const { client, refusalOf } = await openedBridge({ key: owner.key, service: liar.url }, { person });
  liar.tell(askForTheKey);
  expect(await refusalOf('svc_leaderboard')).toMatchObject({ code: 'unknown_answer' });
  await client.readResource({ uri: `relay://agents/${owner.pubkey}` }).catch(() => undefined);
  await client.getPrompt({ name: 'worker' });
  await client.listPrompts();
  expect(person.asked).toEqual([]);
  liar.tell((_, said) => ({ ...said, body: ' '.repeat(9 * 1024 * 1024) }));
  expect(await refusalOf('svc_leaderboard')).toMatchObject({
    message: expect.stringContaining('more than 8388608 bytes'),
  });
});

describe('a lying service and a model out of its mind', () => {
  test('get nothing signed but what was asked, no lamport over a limit, no byte of the key, and no question to a person (A-73, A-74, A-72, A-77)', async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const random = seeded(seed);
    const owner = await fundedKey(service);
    const at = { key: owner.key, service: liar.url, limits: LIMITS };
    const person: Person = { asked: [], answer: 'decline' };
    liar.tell((_, told) => told);
    const before = liar.signed.length;
    const bridges = [await openedBridge(at, { person }), await openedBridge(at, { revision: '2025' })] as const;
    const asked = new AskedOf(owner.pubkey, programId(), () => liar.salts);
    const known: Known = { packageIds: [], taskIds: [] };
    known.parcel = await parcelToReceive(service, bridges[0], asked);
    const said: string[] = [];
    liar.tell(anyLie(random, owner.pubkey, 0.5));
    for (let round = 0; round < ROUNDS; round += 1) {
      const calls = await Promise.all(Array.from({ length: AT_ONCE }, () => drawCall(random, known, asked)));
      const answers = calls.map(async ({ name, args }, index) => {
        const bridge = bridges[index % bridges.length];
        const told = await bridge?.client.callTool({ name, arguments: args }).catch((error: unknown) => String(error));
        return JSON.stringify(told);
      });
      for (const answer of await Promise.all(answers)) {
        said.push(answer);
        const [, kind, id] = /\\"(package|task)Id\\":\\"([0-9a-f-]{36})\\"/.exec(answer) ?? [];
        if (id !== undefined) known[kind === 'task' ? 'taskIds' : 'packageIds'].push(id);
      }
    }
    const costs = liar.signed.slice(before).map((base64) => asked.costOf(base64));
    const sum = costs.reduce((total, cost) => total + cost, 0n);
    expect.soft(costs.length, `seed ${seed}`).toBeGreaterThan(0);
    expect
      .soft(
        costs.every((cost) => cost <= lamportsOf(LIMITS.perTransaction)),
        `seed ${seed}`,
      )
      .toBe(true);
    expect.soft(sum, `seed ${seed}`).toBeLessThanOrEqual(lamportsOf(LIMITS.perDay));
    const { value } = await service.rpc.getBalance(address(owner.pubkey), { commitment: 'confirmed' }).send();
    expect.soft(2_000_000_000n - value, `seed ${seed}`).toBeLessThanOrEqual(sum);
    expect
      .soft(
        person.asked.filter((question) => /key/i.test(question)),
        `seed ${seed}`,
      )
      .toEqual([]);
    const keypair = JSON.parse(await readFile(owner.key, 'utf8')) as number[];
    const problems = bridges.flatMap((bridge) => bridge.problems.map(({ stack }) => String(stack)));
    const everything = [...said, ...problems, ...person.asked, await readFile(journalOf(owner.key), 'utf8')].join('\n');
    expect.soft(leakFinder(keypair)(everything), `seed ${seed}`).toBeUndefined();
  });

  test('and a key that did leak would be found', () => {
    const keypair = Array.from({ length: 64 }, (_, at) => (at * 37 + 11) % 256);
    const find = leakFinder(keypair);
    const bytes = Buffer.from(keypair.slice(5, 16));
    for (const written of [bytes.toString('hex'), bytes.toString('base64'), JSON.stringify([...bytes])]) {
      expect(find(`before${written}after`)).toBeDefined();
    }
    expect(find(JSON.stringify(keypair.slice(32)))).toBeUndefined();
  });
});
