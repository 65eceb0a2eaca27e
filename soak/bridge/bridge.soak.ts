import { readFile, writeFile } from 'node:fs/promises';
import { journalOf } from '@legwork/agents';
import { address } from '@solana/kit';
import getPort from 'get-port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AskedOf } from '../../packages/server/tests/agents/askedOf.js';
import { fundedKey, type Person, startedBridge } from '../../packages/server/tests/agents/bridgeClient.js';
import { drawCall, type Known, leakFinder, parcelToReceive } from '../../packages/server/tests/agents/hostileCalls.js';
import { anyLie, LyingService } from '../../packages/server/tests/agents/lyingService.js';
import { TestService } from '../../packages/server/tests/support/service.js';
import { type Random, seededRandom } from '../plan.js';

const CALLS = Number(process.env['SOAK_CALLS']);
const SEED = Number(process.env['SOAK_SEED']);
/** Calls with one key; then its two bridges end, and it is judged. */
const A_KEY = 2_500;
const AT_ONCE = 24;

/** SOL. */
interface Limits {
  readonly perTransaction: number;
  readonly perDay: number;
  readonly inAll: number;
}

/** In which share of its answers a service lies, and which share it says again instead of asking anybody. */
interface Liar {
  readonly lies: number;
  readonly repeats: number;
}

const LIARS: readonly [Liar, ...Liar[]] = [
  { lies: 0.5, repeats: 0.8 },
  { lies: 0.5, repeats: 0.8 },
  { lies: 0.5, repeats: 0.3 },
  { lies: 0.1, repeats: 0 },
];
/** Some keys reach their limits with the first calls, some late. */
const LIMITS: readonly [Limits, ...Limits[]] = [
  { perTransaction: 0.015, perDay: 0.06, inAll: 0.09 },
  { perTransaction: 0.006, perDay: 0.5, inAll: 0.2 },
  { perTransaction: 0.03, perDay: 0.9, inAll: 1.2 },
];

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

/** The outcome of the calls with one key. */
interface Judged {
  readonly calls: number;
  readonly signed: number;
  readonly spent: bigint;
  readonly asked: number;
  /** The limits, the liar and the person. */
  readonly told: string;
}

const drawn = <T>(values: readonly [T, ...T[]], random: Random): T =>
  values[Math.floor(random() * values.length)] ?? values[0];
/** Lamports that a person allowed with its yes to this question. */
const costIn = (question: string) => lamportsOf(Number(/fee and rent: ([0-9.]+) SOL/.exec(question)?.[1]));
const lamportsOf = (sol: number) => BigInt(Math.round(sol * 1e9));

async function oneKey(random: Random, calls: number): Promise<Judged> {
  const limits = drawn(LIMITS, random);
  const { lies, repeats } = drawn(LIARS, random);
  const owner = await fundedKey(service);
  const keypair = JSON.parse(await readFile(owner.key, 'utf8')) as number[];
  const leakIn = leakFinder(keypair);
  const policy = owner.key.replace('.json', '.yaml');
  await writeFile(policy, `key: ada.json\nservice: ${liar.url}\nlimits: ${JSON.stringify(limits)}\n`);
  const asked = new AskedOf(owner.pubkey, service.ledger.keypairs.program.signer.address, () => liar.salts);
  const known: Known = { packageIds: [], taskIds: [] };
  const person: Person = { asked: [], answer: random() < 0.5 ? 'accept' : 'decline' };
  const from = liar.signed.length;
  liar.tell((_, said) => said);
  liar.repeat(random, 0);
  const bridges = [
    await startedBridge(['--policy', policy], { person }),
    await startedBridge(['--policy', policy], { revision: '2025' }),
  ] as const;
  known.parcel = await parcelToReceive(service, bridges[0], asked);
  liar.tell(anyLie(random, owner.pubkey, lies));
  liar.repeat(random, repeats);
  let called = 0;
  const caller = async (index: number) => {
    const bridge = bridges[index % bridges.length];
    while (called < calls) {
      called += 1;
      const { name, args } = await drawCall(random, known, asked);
      const told = await bridge?.client.callTool({ name, arguments: args }).catch(String);
      const answer = JSON.stringify(told);
      if (leakIn(answer) !== undefined) throw new Error(`${name} answered ${answer}`);
      const [, kind, id] = /\\"(package|task)Id\\":\\"([0-9a-f-]{36})\\"/.exec(answer) ?? [];
      if (id !== undefined) known[kind === 'task' ? 'taskIds' : 'packageIds'].push(id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => caller(index)));
  for (const { client } of bridges) await client.close();
  expect(bridges.flatMap(({ problems }) => problems)).toEqual([]);
  const rest = [
    ...bridges.map(({ stderr }) => stderr()),
    ...person.asked,
    await readFile(journalOf(owner.key), 'utf8'),
  ];
  expect(leakIn(rest.join('\n'))).toBeUndefined();
  const costs = liar.signed.slice(from).map((base64) => asked.costOf(base64));
  const spent = costs.reduce((sum, cost) => sum + cost, 0n);
  const allowed = person.answer === 'accept' ? person.asked.map(costIn) : [];
  const most = [lamportsOf(limits.perTransaction), ...allowed].reduce((one, other) => (other > one ? other : one));
  for (const cost of costs) expect(cost).toBeLessThanOrEqual(most);
  const allowedInAll = allowed.reduce((sum, cost) => sum + cost, 0n);
  expect(spent).toBeLessThanOrEqual(lamportsOf(Math.min(limits.perDay, limits.inAll)) + allowedInAll);
  const { value } = await service.rpc.getBalance(address(owner.pubkey), { commitment: 'confirmed' }).send();
  expect(2_000_000_000n - value).toBeLessThanOrEqual(spent);
  const told = `${JSON.stringify({ ...limits, lies, repeats })} ${person.answer}`;
  return { calls: called, signed: costs.length, spent, asked: person.asked.length, told };
}

const say = (line: string) => process.stdout.write(`${line}\n`);

test('a lying service and a model out of its mind get nothing signed but what was asked, within the limits', async () => {
  const random = seededRandom(SEED);
  say(`seed ${SEED}, ${CALLS} calls`);
  const began = Date.now();
  for (let called = 0; called < CALLS; ) {
    const judged = await oneKey(random, Math.min(A_KEY, CALLS - called));
    called += judged.calls;
    expect(judged.calls).toBeGreaterThan(0);
    const { signed, spent, asked, told } = judged;
    const seconds = Math.round((Date.now() - began) / 1000);
    say(`${called} calls, ${seconds} s: ${signed} signed, ${spent} lamports, ${asked} questions, ${told}`);
  }
});
