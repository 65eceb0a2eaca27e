import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../../cli/tests/support/line.js';
import { until } from '../support/until.js';
import { untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';

const service = withService();
const SLOW = 120_000;

const home = process.cwd();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'legwork-stakes-'));
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

/** What a command says that is done; nobody has a policy. */
async function say(...args: readonly string[]): Promise<string> {
  const env = { XDG_CONFIG_HOME: folder, LEGWORK_URL: service.current.server.url, LEGWORK_KEY: undefined };
  const { code, stdout, stderr } = await runHere(args, env);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

const BEN = ['--key', 'ben.json'];
const ADA = ['--key', 'ada.json'];

test('a handoff is sent with a stake in a token, and says what it pays and stakes in its asset, without a policy (A-132)', {
  timeout: SLOW,
}, async () => {
  const arbiter = await service.current.party(0);
  for (const key of [BEN, ADA]) {
    await say('key', 'new', ...key);
    await say('register', ...key);
  }
  const places = [
    '--from',
    '52.5074,13.3326',
    '--to',
    '52.5031,13.4694',
    '--what',
    'books',
    '--kg',
    '4',
    '--litres',
    '12',
  ];
  const terms = ['--terms', 'standard', '--arbiter', arbiter.pubkey];
  const listed = await say('post', 'package', ...places, '--budget', '5', '--asset', 'usdc', ...terms, ...BEN);
  const id = /Package (\S+) is listed/.exec(listed)?.[1] ?? '';
  await say('bid', id, '--cost', '3', ...ADA);
  await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
  const code = (await say('handoff', 'sign', id, ...BEN)).trim();
  expect(await say('handoff', 'show', code)).toMatch(/It pays nothing yet\. With it 1 USDC of its sender are staked\./);
  const before = await say('wallet', ...ADA);
  expect(before).toContain('100 USDC');
  await say('handoff', 'send', code, ...ADA);
  expect(await say('wallet', ...ADA)).toContain('99 USDC');
  const received = (await say('handoff', 'sign', id, ...BEN)).trim();
  const shown = await until('the leg pays in its asset', async () => {
    const said = await say('handoff', 'show', received);
    return said.includes('The ledger takes it now') && said;
  });
  expect(shown).toMatch(/It pays [\d.]+ USDC for leg 1/);
});
