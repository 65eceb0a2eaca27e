import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyFile } from '@legwork/agents';
import { lamports } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../../../cli/tests/support/line.js';
import { confirmAll, formedPackage, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { type Fate, LossyProxy } from './support/lossyProxy.js';

const proxy = await LossyProxy.start();
const service = withService({ settings: () => ({ PUBLIC_URL: proxy.url }) });
let folder = '';
/** The requests of the command to the service that count, in their order. */
let asked: string[] = [];

beforeAll(async () => {
  proxy.target = service.current.server.url;
  folder = await mkdtemp(join(tmpdir(), 'legwork-quote-'));
  const { address } = await createKeyFile(join(folder, 'key.json'));
  await service.current.rpc.requestAirdrop(address, lamports(5_000_000_000n)).send();
  const market = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.03]]);
  await confirmAll(service.current, market);
  await untilPackage(service.current, market.parcel.id, ({ status }) => status === 'delivered');
});
beforeEach(() => fated({}));
afterAll(async () => {
  proxy.close();
  await rm(folder, { recursive: true, force: true });
});

/** Decides about requests by their path; all others pass. */
function fated(fates: Readonly<Record<string, Fate>>): void {
  asked = [];
  proxy.fate = ({ method, path }) => {
    if (method === 'POST') asked.push(path);
    return fates[path] ?? 'pass';
  };
}

const post = (...args: readonly string[]) =>
  runHere(['post', ...args, '--key', join(folder, 'key.json')], {
    XDG_CONFIG_HOME: folder,
    LEGWORK_URL: proxy.url,
    LEGWORK_KEY: undefined,
  });
const PARCEL = [
  '--from',
  '52.5074,13.3326',
  '--to',
  '52.5031,13.4694',
  '--what',
  'books',
  '--kg',
  '4',
  '--litres',
  '9',
];
const GOAL = ['--title', 'Feedback', '--what', 'Group it, then sum it up.', '--budget', '0.2'];
const LEGS = ['--leg', 'Group it.', '--leg', 'Sum it up.'];
const ON_TOP =
  /^On top, from your wallet: rent, 0\.0\d+ SOL \(0\.0\d+ come back\), .*\nOn top, from your wallet: fee, 0\.0\d+ SOL, .*\n/m;

describe('posting by the command', () => {
  test('tells the expected price and what comes on top, line by line, before the transaction is built (A-117, M-89)', async () => {
    const { code, stdout, stderr } = await post('package', ...PARCEL, '--budget', '0.3');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(asked).toEqual(['/quotes', '/packages/build-tx', '/packages']);
    expect(stdout).toMatch(
      /^Expected price: 0\.0\d+ SOL, mostly 0\.0\d+ to 0\.0\d+: the middle of what most of 1 packages /,
    );
    expect(stdout).toMatch(ON_TOP);
    expect(
      stdout
        .split('\n')
        .slice(1)
        .findIndex((line) => line.startsWith('Package ')),
    ).toBe(2);
  });

  test('has told it where nothing comes to be signed (A-117)', async () => {
    fated({ '/packages/build-tx': 503 });
    const { code, stdout } = await post('package', ...PARCEL, '--budget', '0.005');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Expected price: .* to 0\.0\d+; your budget is below that range, and may find nobody: /);
    expect(stdout).toMatch(ON_TOP);
    expect(stdout).not.toContain('is listed');
  });

  test('says that a price is unknown, and what each agent stakes (A-117)', async () => {
    const { pubkey } = await service.current.party(0);
    const { code, stdout } = await post('task', ...GOAL, ...LEGS, '--arbiter', pubkey);
    expect(code).toBe(0);
    expect(asked.slice(0, 2)).toEqual(['/quotes', '/digital-tasks/build-tx']);
    expect(stdout).toMatch(/^Expected price: unknown: nothing like it was settled here in the last 90 days\n/);
    expect(stdout).toMatch(/^On top, from each agent's wallet: stake, as unknown as the price, .*comes back/m);
    expect(stdout).toMatch(/^Who works on it stakes 0\.\d+ SOL; /m);
  });

  test('gives programs one object, with the quote or null (A-117)', async () => {
    const { stdout } = await post('package', ...PARCEL, '--budget', '0.3', '--json');
    const { status, quote } = JSON.parse(stdout);
    expect(status).toBe('listed');
    expect(quote).toMatchObject({ kind: 'package', expectedLamports: expect.any(Number), basis: { settled: 1 } });
    fated({ '/quotes': 500 });
    expect(JSON.parse((await post('task', ...GOAL, ...LEGS, '--json')).stdout)).toMatchObject({ quote: null });
  });

  test.each<[string, Fate, RegExp]>([
    ['fails', 500, /^Expected price: unknown, the service gives no quote: .*500.*\n/],
    ['is not heard', 'lose', /^Expected price: unknown, the service gives no quote: .+\n/],
    ['never comes', 'hang', /^Expected price: unknown, the service gives no quote: no answer within 2 seconds\n/],
    ['is asked for too often', 429, /^Expected price: unknown, the service gives no quote: .+\n/],
  ])('posts all the same where the quote %s (A-117)', async (_, fate, words) => {
    fated({ '/quotes': fate });
    const { code, stdout, stderr } = await post('package', ...PARCEL, '--budget', '0.3');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(words);
    expect(stdout).toContain(' is listed; 0.3 SOL are in escrow');
  });
});
