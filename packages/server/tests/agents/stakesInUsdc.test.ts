import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { policySchema } from '@legwork/agents';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Agent } from '../../../cli/src/agent/agent.js';
import { verifyResults } from '../../../cli/src/agent/verify.js';
import { runHere } from '../../../cli/tests/support/line.js';
import { until } from '../support/until.js';
import { untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';

const service = withService();
const SLOW = 120_000;
const BEN = ['--key', 'ben.json'];
const ADA = ['--key', 'ada.json'];

const home = process.cwd();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'legwork-stakes-'));
  process.chdir(folder);
  for (const key of [BEN, ADA]) {
    await say('key', 'new', ...key);
    await say('register', ...key);
  }
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

/** The output of a command that is done; nobody has a policy. */
async function say(...args: readonly string[]): Promise<string> {
  const env = { XDG_CONFIG_HOME: folder, LEGWORK_URL: service.current.server.url, LEGWORK_KEY: undefined };
  const { code, stdout, stderr } = await runHere(args, env);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

test('a handoff is sent with a stake in a token, and says what it pays and stakes in its asset, without a policy (A-132)', {
  timeout: SLOW,
}, async () => {
  const arbiter = await service.current.party(0);
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
  // The ledger has it sooner than the service.
  await untilPackage(service.current, id, ({ swarm }) => swarm?.legs[0]?.stage === 'carried');
  const received = (await say('handoff', 'sign', id, ...BEN)).trim();
  const shown = await until('the leg pays in its asset', async () => {
    const said = await say('handoff', 'show', received);
    return said.includes('The ledger takes it now') && said;
  });
  expect(shown).toMatch(/It pays [\d.]+ USDC for leg 1/);
});

/** A task of one leg that pays 5 USDC with a stake of 1, whose result Ada has claimed. */
async function claimedTask(arbiter: string): Promise<string> {
  const what = [
    '--title',
    'A count',
    '--what',
    'Three words here.',
    '--leg',
    'count',
    '--budget',
    '5',
    '--asset',
    'usdc',
  ];
  const listed = await say('post', 'task', ...what, '--terms', 'standard', '--arbiter', arbiter, ...BEN);
  const id = /Task (\S+) is listed/.exec(listed)?.[1] ?? '';
  const { legId } = JSON.parse(await say('claim', id, '--json', ...ADA)) as { legId: string };
  const leg = [legId, '--task', id, ...ADA];
  await until('the leg is assigned and accepted', () => say('move', 'accept', ...leg).catch(() => false as const));
  await writeFile('result.txt', 'Four.');
  await say('done', legId, '--file', 'result.txt', ...ADA);
  return id;
}

test('what stakes a token is disputed within the limit of that token, and no further (A-95)', {
  timeout: SLOW,
}, async () => {
  const { pubkey: arbiter } = await service.current.party(0);
  const ids = [await claimedTask(arbiter), await claimedTask(arbiter)];
  const verifying = async (
    input: { asset?: string; stakes: number },
    isEnough: (told: readonly string[]) => boolean,
  ) => {
    const key = join(folder, 'ben.json');
    const agent = new Agent(
      policySchema.parse({ service: service.current.server.url, key, accept: { arbiters: [arbiter] } }),
    );
    const told: string[] = [];
    for await (const { text } of verifyResults(agent, { command: 'echo wrong; exit 1', timeout: 30, ...input })) {
      told.push(text);
      if (isEnough(told)) break;
    }
    await agent.close();
    return told.join('\n');
  };
  const inSol = await verifying({ stakes: 1 }, (told) => told.length > 2);
  expect(inSol).toContain(
    'with at most 1 SOL of stakes in disputes; what would stake another asset is told and not disputed.',
  );
  expect(
    inSol.match(/no verdict yet: a dispute stakes the token \w+, of which nothing may lie in disputes/g),
  ).toHaveLength(2);
  const told = await verifying({ asset: 'usdc', stakes: 1.5 }, (so) => so.length > 2);
  expect(told).toContain('with this dispute 2 USDC would lie in disputes, and 1.5 USDC may');
  expect(told.match(/: disputed, wrong; ruled until/g)).toHaveLength(1);
  const { client } = await service.current.party(0);
  const stages = await Promise.all(ids.map(async (taskId) => (await client.getDigitalTask({ taskId })).legs[0]?.stage));
  expect(new Set(stages)).toEqual(new Set(['claimed', 'disputed']));
});
