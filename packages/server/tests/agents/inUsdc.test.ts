import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession, readKeyFile, readPolicies } from '@legwork/agents';
import { type DigitalTaskDraft, listDigitalTask } from '@legwork/sdk';
import { address, createKeyPairSignerFromBytes, lamports } from '@solana/kit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../../cli/tests/support/line.js';
import { leaveWith } from '../fees/scene.js';
import { untilTask } from '../operations/digitalTasks/scene.js';
import { withService } from '../support/service.js';
import { PATIENT, policyAgent, runDaemon } from './support/agents.js';

const service = withService();
const SLOW = 120_000;

const echo = { run: { command: [process.execPath, '-e', "console.log('done')"] } };
const IN_USDC = { name: 'usdc', stakePerLeg: 1, stakeInAll: 1, minPayment: 0.5 };
const IN_TOKENS: DigitalTaskDraft = {
  title: 'A count',
  description: 'Three words here.',
  legs: [{ instruction: 'count the words' }],
  maxBudget: '1500000',
  asset: 'usdc',
  terms: 'plain',
};
const LIMITS = { perTransaction: 0.01, perDay: 0.1 };

/** A task of one leg that pays in test USDC, of a poster who has some. */
async function taskInUsdc(millionths: number, terms: 'plain' | { arbiterPubkey: string; stake: string } = 'plain') {
  const poster = await service.current.party(1);
  await poster.client.registerAgent({ agentPubkey: poster.pubkey });
  const task = await listDigitalTask(poster.client, poster.signer, {
    title: 'A count',
    description: 'Three words here.',
    legs: [{ instruction: 'count the words' }],
    maxBudget: String(millionths),
    asset: 'usdc',
    terms,
  });
  return { poster, taskId: task.id };
}

test('a worker takes what its policy has limits for, and tells why another one leaves it alone (A-152)', {
  timeout: SLOW,
}, async () => {
  const able = await policyAgent(service.current, { worker: echo, limits: LIMITS, asset: IN_USDC });
  const inSol = await policyAgent(service.current, { worker: echo, limits: LIMITS });
  const unable = await runDaemon([inSol]);
  const { taskId } = await taskInUsdc(1_500_000);
  await expect
    .poll(() => unable.told.join('\n'), PATIENT)
    .toContain(`task ${taskId} is left alone: it pays in usdc, for which the policy has no limits`);
  // Only now: what it has taken, nobody else looks at any more.
  const running = await runDaemon([able]);
  const done = await untilTask(service.current, taskId, ({ status }) => status === 'completed');
  expect(done.legs[0]).toMatchObject({ agentPubkey: able.pubkey, payment: 1_500_000n });
  const { taskId: poor } = await taskInUsdc(400_000);
  await expect
    .poll(() => running.told.join('\n'), PATIENT)
    .toContain(`task ${poor} is left alone: a leg pays 0.4 USDC, but asset.minPayment is 0.5 USDC`);
});

test('a worker stakes in the asset within its limit of it, and the journal has it by the mint (A-151)', {
  timeout: SLOW,
}, async () => {
  const worker = await policyAgent(service.current, { worker: echo, limits: LIMITS, asset: IN_USDC });
  const arbiter = await service.current.party(1);
  const accept = { arbiters: [arbiter.pubkey] };
  await worker.rewrite({ worker: echo, limits: LIMITS, asset: IN_USDC, accept });
  const running = await runDaemon([worker]);
  const { poster, taskId } = await taskInUsdc(2_000_000, { arbiterPubkey: arbiter.pubkey, stake: '1000000' });
  await expect.poll(() => running.told.join('\n'), PATIENT).toContain('with a stake of 1 USDC');
  await expect
    .poll(async () => (await poster.client.getDigitalTask({ taskId })).legs[0]?.stage, PATIENT)
    .toBe('claimed');
  const signed = (await worker.journal()).filter(({ kind, token }) => kind === 'signed' && token !== undefined);
  expect(signed).toMatchObject([{ instruction: 'accept', token: { amount: '0', stake: '1000000' } }]);
});

test('a wallet signs nothing in an asset that its policy does not name, or above its limit of it (A-150, A-151)', {
  timeout: SLOW,
}, async () => {
  const open = async (more: object) => {
    const { file } = await policyAgent(service.current, { limits: LIMITS, ...more }, 2);
    const [policy] = await readPolicies(file);
    if (policy === undefined) throw new Error('a file has a policy');
    const session = await openSession(policy);
    onTestFinished(() => session.close());
    await session.client.registerAgent({ agentPubkey: session.signer.address });
    return session;
  };
  const draft = IN_TOKENS;
  const inSol = await open({});
  await expect(listDigitalTask(inSol.client, inSol.signer, draft)).rejects.toThrow(
    /pays in the token of asset .*: the policy has limits for SOL alone/,
  );
  const poor = await open({ asset: { name: 'usdc', perTransaction: 1, perDay: 5, inAll: 5 } });
  await expect(listDigitalTask(poor.client, poor.signer, draft)).rejects.toThrow(
    'this may cost 1.5 USDC, but asset.perTransaction is 1 USDC',
  );
  const able = await open({ asset: { name: 'usdc', perTransaction: 2, perDay: 2, inAll: 5 } });
  await listDigitalTask(able.client, able.signer, draft);
  await expect(listDigitalTask(able.client, able.signer, draft)).rejects.toThrow(
    'this may cost 1.5 USDC, and 1.5 USDC are spent, but asset.perDay is 2 USDC',
  );
  await expect(open({ asset: { name: 'usdc', perDay: 0.1234567 } })).rejects.toThrow(
    'asset.perDay: 0.1234567 USDC has more than the 6 decimals of USDC',
  );
  await expect(open({ asset: { name: 'doge' } })).rejects.toThrow(
    'asset.name: asset: this service lists nothing in doge',
  );
  await expect(open({ asset: { name: 'sol' } })).rejects.toThrow('asset.name: sol is what limits says already');
});

test('a wallet with the token and no SOL lists within its limits: the service lends the rents (A-4, A-148, M-99)', {
  timeout: SLOW,
}, async () => {
  const asset = { name: 'usdc', perTransaction: 2, perDay: 2, inAll: 5 };
  const poster = await policyAgent(service.current, { limits: LIMITS, asset }, 0);
  const [policy] = await readPolicies(poster.file);
  if (policy === undefined) throw new Error('a file has a policy');
  const session = await openSession(policy);
  onTestFinished(() => session.close());
  await session.client.registerAgent({ agentPubkey: poster.pubkey });
  const bytes = Uint8Array.from(JSON.parse(await readFile(poster.key, 'utf8')) as number[]);
  await leaveWith(service.current, { signer: await createKeyPairSignerFromBytes(bytes) }, 0n);
  const { id } = await listDigitalTask(session.client, session.signer, IN_TOKENS);
  expect(await session.client.getDigitalTask({ taskId: id })).toMatchObject({ status: 'listed', asset: 'usdc' });
  const signed = (await poster.journal()).filter(({ kind }) => kind === 'signed');
  expect(signed).toMatchObject([{ instruction: 'listTask', lamports: '0', token: { amount: '1500000' } }]);
  await expect(listDigitalTask(session.client, session.signer, IN_TOKENS)).rejects.toThrow('asset.perDay is 2 USDC');
});

const home = process.cwd();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'legwork-usdc-'));
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});
const run = (...args: readonly string[]) =>
  runHere(args, { XDG_CONFIG_HOME: folder, LEGWORK_URL: service.current.server.url, LEGWORK_KEY: undefined });

test('the command gives a mandate in another asset, lists from it, and ends it (A-153, P-114 to P-119)', {
  timeout: SLOW,
}, async () => {
  for (const name of ['owner.json', 'agent.json', 'stranger.json']) await run('key', 'new', '--key', name);
  await run('register', '--key', 'owner.json');
  const { rpc } = service.current;
  const owner = await readKeyFile(join(folder, 'owner.json'));
  const agent = await readKeyFile(join(folder, 'agent.json'));
  await rpc.requestAirdrop(agent.address, lamports(1_000_000_000n)).send();
  const between = ['--to', agent.address, '--asset', 'usdc', '--key', 'owner.json'];
  const limited = { service: service.current.server.url, key: 'owner.json', limits: LIMITS };
  await writeFile(join(folder, 'owner.yaml'), JSON.stringify(limited));
  const unseen = await run('mandate', 'give', ...between.slice(0, 4), '--policy', 'owner.yaml', '--cap', '2');
  expect(unseen.stderr).toContain('Nothing was signed: a person signs a mandate, in a terminal.');
  expect((await run('mandate', 'show', ...between)).stderr).toContain('no mandate in usdc');
  const tooMuch = await run('mandate', 'give', ...between, '--cap', '2', '--put', '101');
  expect(tooMuch.stderr).toMatch(/^This takes 101 USDC, but \w+ has 100 USDC\.$/m);
  const given = await run('mandate', 'give', ...between, '--cap', '2', '--put', '3', '--for', 'tasks');
  expect(given.stdout).toContain('at most 2 USDC in 24 hours');
  expect(given.stdout).toContain('Your wallet transfers 3 USDC and 0.02 SOL for the rents of listings.');
  expect(given.stdout).toContain('It may list tasks, with deadlines at most 168 hours ahead.');
  expect(given.stdout).toContain('Rent of its accounts, which comes back at its end: 0.00404376 SOL.');
  expect((await run('mandate', 'show', ...between)).stdout).toContain('2 USDC can be listed now; 3 USDC lie there');
  const again = await run('mandate', 'give', ...between, '--cap', '2');
  expect(again.stdout).toContain('It may list packages and tasks, with deadlines');
  expect(again.stdout).not.toContain('From your wallet');

  const task = [
    'post',
    'task',
    '--title',
    'A count',
    '--what',
    'Three words here.',
    '--leg',
    'count',
    '--asset',
    'usdc',
  ];
  const post = (budget: string) =>
    run(...task, '--terms', 'plain', '--key', 'agent.json', '--mandate', owner.address, '--budget', budget);
  const listed = await post('1.5');
  expect(listed.stdout).toContain('1.5 USDC are in escrow');
  expect(listed.stdout).toContain('On top, from the mandate: rent, 0.0030624 SOL');
  expect(listed.stdout).toContain('On top, from your wallet: rent, 0.00203928 SOL');
  expect((await post('1')).stderr).toMatch(/mandateOwnerPubkey: is of the mandate at .*has not so much left/);
  const id = /Task (\S+) is listed/.exec(listed.stdout)?.[1] ?? '';
  const shown = await run('mandate', 'show', ...between);
  expect(shown.stdout).toContain('0.5 USDC can be listed now; 1.5 USDC lie there');
  expect(shown.stdout).toContain('the rent of its vault return to the mandate, and who signs pays the fee');
  // The printed command runs as it is printed.
  const printed = / task, listed, 1\.5 USDC: legwork (cancel .*)$/m.exec(shown.stdout)?.[1]?.split(' ') ?? [];
  expect(printed.slice(0, 2)).toEqual(['cancel', id]);
  expect((await run('cancel', id, '--key', 'stranger.json')).code).toBe(1);
  const cancelled = await run(...printed);
  expect(cancelled.stdout).toMatch(
    /paid for it: what is left returns there, with the rent of the vault.*\n.*is cancelled/,
  );
  expect((await run('mandate', 'show', ...between)).stdout).toContain('0.5 USDC can be listed now; 3 USDC lie there');
  const open = await post('0.5');
  const over = await run('mandate', 'end', ...between);
  expect(over.stdout).toMatch(/ task, listed, 0\.5 USDC: .*\nAfter the end of the mandate your key can do this once/);
  expect(over.stderr).toBe('');
  expect(over.stdout).toContain('2.5 USDC are back');
  const left = / ([\da-f-]{36}) is listed/.exec(open.stdout)?.[1] ?? '';
  const late = await run('cancel', left, '--key', 'owner.json');
  expect(late.stderr).toMatch(/mandateOwnerPubkey: has ended the mandate at .* with it given again this can be signed/);
  await run('mandate', 'give', ...between, '--cap', '0', '--rents', '0.001');
  expect((await run('cancel', left, '--key', 'owner.json')).stdout).toContain('is cancelled');
  expect((await run('mandate', 'end', ...between)).stdout).toContain('0.5 USDC are back');
  expect((await run('wallet', '--key', 'owner.json')).stdout).toContain('100 USDC');
  expect((await run('mandate', 'show', ...between)).stderr).toContain('no mandate in usdc');
});

test('the command posts, claims and shows in another asset, and refuses what it cannot mean (A-152)', {
  timeout: SLOW,
}, async () => {
  for (const key of [[], ['--key', 'ben.json']]) {
    await run('key', 'new', ...key.slice(1));
    expect((await run('register', ...key)).stdout).toContain('100 USDC');
  }
  const post = [
    'post',
    'task',
    '--title',
    'A count',
    '--what',
    'Three words here.',
    '--leg',
    'count',
    '--terms',
    'plain',
  ];
  expect(await run(...post, '--budget', '1.5000001', '--asset', 'usdc')).toMatchObject({ code: 2, stdout: '' });
  expect((await run(...post, '--budget', '1.5', '--asset', 'doge')).stderr).toContain('lists nothing in doge');
  const { stdout, stderr } = await run(...post, '--budget', '1.5', '--asset', 'usdc');
  expect(stderr).toBe('');
  expect(stdout).toMatch(/1\.5 USDC are in escrow/);
  const taskId = /Task (\S+) is listed/.exec(stdout)?.[1] ?? '';
  expect((await run('wallet')).stdout).toContain('98.5 USDC');
  expect((await run('show', taskId)).stdout).toContain('1.5 USDC a leg');
  expect((await run('tasks')).stdout).toContain('1.5 USDC');
  expect((await run('claim', taskId, '--key', 'ben.json')).stdout).toContain('it pays 1.5 USDC');
  const wallet = await service.current.party(0);
  expect((await wallet.client.getDigitalTask({ taskId })).legs[0]?.agentPubkey).not.toBe(address(wallet.pubkey));
});
