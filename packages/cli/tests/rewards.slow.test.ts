import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLegworkClient, listDigitalTask, type LegworkClient } from '@legwork/sdk';
import { createSolanaRpc, generateKeyPairSigner, getBase58Decoder } from '@solana/kit';
import { expect, test } from 'vitest';
import type { Instance } from '../src/start/instanceFile.js';
import { startCommand, temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { fundedWallet, type LedgerRpc } from './support/wallets.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 600_000;
const newFolder = temporaryFolders();

const ADMIN_KEY = 'a key of the organiser, of many characters';
const OPEN = { REWARD_WINDOW_OPENS: '2020-01-01T00:00:00Z', REWARD_WINDOW_CLOSES: '2120-01-01T00:00:00Z' };
const CLAIM_ID = '01890000-0000-7000-8000-000000000000';
const SIGNATURE = '1'.repeat(64);
const anySignature = () => getBase58Decoder().decode(crypto.getRandomValues(new Uint8Array(64)));

async function startInstance(data: string) {
  const args = ['start', '--data', data, '--port', '0', '--ledger-port', '0'];
  const command = startCommand(args, { ADMIN_KEY, ...OPEN });
  await command.shows('Stop     Ctrl-C');
  const instance = JSON.parse(await readFile(join(data, 'instance.json'), 'utf8')) as Instance;
  const stop = async () => {
    command.child.kill('SIGTERM');
    await command.ended;
  };
  return { ...instance, stop };
}

/** Asks until the call is not refused: what was paid counts once it is final, 13 seconds later. */
async function untilTaken<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** An agent that has earned 0.02 SOL with one leg, and claimed it; the id of the claim. */
async function claimedEarnings(url: string, rpc: LedgerRpc): Promise<string> {
  const [poster, agent] = [await fundedWallet(rpc, 1_000_000_000n), await fundedWallet(rpc, 1_000_000_000n)];
  const clientOf = (signer: typeof agent): LegworkClient => createLegworkClient({ url, signer });
  const { id: taskId } = await listDigitalTask(clientOf(poster), poster, {
    title: 'Notes',
    description: 'Sum the notes up.',
    maxBudgetSol: 0.02,
    legs: [{ instruction: 'Sum them up.' }],
    terms: 'plain',
  });
  const { legs } = await clientOf(poster).getDigitalTask({ taskId });
  const leg = { taskId, legId: legs[0]?.id ?? '', agentPubkey: agent.address };
  await clientOf(agent).bidDigitalLeg({ ...leg, bidSol: 0.01 });
  await clientOf(agent).completeDigitalLeg({ ...leg, result: 'summed up' });
  return claim(clientOf(agent), agent.address, 20_000_000);
}

async function claim(client: LegworkClient, devnetPubkey: string, confirmedEarningsLamports: number): Promise<string> {
  const mainnetPubkey = (await generateKeyPairSigner()).address;
  const input = { devnetPubkey, mainnetPubkey, confirmedEarningsLamports };
  return (await untilTaken(() => client.registerRewardClaim(input))).id;
}

async function claimedNothing(url: string): Promise<string> {
  const signer = await generateKeyPairSigner();
  return claim(createLegworkClient({ url, signer }), signer.address, 0);
}

test('claims are exported, verified against the ledger alone, and marked as paid (M-68, M-69, S-68)', {
  timeout: SLOW,
}, async () => {
  const data = await newFolder();
  const instance = await startInstance(data);
  const file = (name: string) => join(data, name);
  const { url, rpcUrl, programId } = instance;
  const verify = (csv: string, ...more: string[]) =>
    runHere(['rewards', 'verify', '--csv', csv, '--rpc-url', rpcUrl, '--program-id', programId, ...more]);
  const markPaid = (...args: string[]) => runHere(['rewards', 'mark-paid', '--url', url, ...args], { ADMIN_KEY });
  try {
    const [earned, nothing] = [await claimedEarnings(url, createSolanaRpc(rpcUrl)), await claimedNothing(url)];

    const csv = file('claims.csv');
    const exported = await runHere(['rewards', 'export', '--url', url, '--out', csv], { ADMIN_KEY });
    const text = await readFile(csv, 'utf8');
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(exported).toMatchObject({ code: 0, stderr: '', stdout: `2 claims in ${csv}\nsha256 ${sha256}\n` });

    const right = await verify(csv, '--sha256', sha256.toUpperCase());
    expect(right).toMatchObject({ code: 0, stderr: '' });
    expect(right.stdout).toMatch(/^no differences: 2 claims compared with \d+ transactions\n$/);

    // The ledger knows nothing of payout keys: only the sha256 tells.
    const payout = text.split('\r\n')[1]?.split(',')[2] ?? '';
    await writeFile(file('payout.csv'), text.replace(payout, (await generateKeyPairSigner()).address));
    expect(await verify(file('payout.csv'))).toMatchObject({ code: 0 });
    const swapped = await verify(file('payout.csv'), '--sha256', sha256);
    expect(swapped.code).toBe(1);
    expect(swapped.stdout).toMatch(new RegExp(`^file: sha256 is \\w{64}, not ${sha256}: it is not the export\n1 diff`));

    await writeFile(file('more.csv'), text.replace(',20000000,0,20000000,', ',30000000,0,30000000,'));
    const more = await verify(file('more.csv'));
    expect(more.code).toBe(1);
    expect(more.stdout).toMatch(/: earnings is 30000000 here, 20000000 on the ledger \(tx \w+\)\n/);
    expect(more.stdout).toMatch(/\n2 differences: 2 claims compared with \d+ transactions\n$/);

    await writeFile(file('words.csv'), 'words');
    expect(await verify(file('words.csv'))).toMatchObject({ code: 2, stdout: '' });

    const signature = anySignature();
    const marked = await markPaid(earned, signature);
    expect(marked).toMatchObject({ code: 0, stdout: `${earned}: paid with ${signature}\n1 paid, 0 refused\n` });
    await writeFile(file('payouts.txt'), `${nothing},${anySignature()}\r\n\n${earned}, ${signature}\n`);
    for (let time = 0; time < 2; time += 1) {
      const again = await markPaid('--file', file('payouts.txt'));
      expect(again.stdout).toMatch(new RegExp(`^${nothing}: claimId: the claim is of 0 lamports`));
      expect(again.stdout).toContain(`\n${earned}: paid with ${signature}\n1 paid, 1 refused\n`);
      expect(again.code).toBe(1);
    }
    const other = await markPaid(earned, anySignature());
    expect(other).toMatchObject({ code: 1, stderr: '' });
    expect(other.stdout).toContain(`the claim was paid with ${signature}`);

    const stranger = await runHere(['rewards', 'export', '--url', url, '--out', csv], {
      ADMIN_KEY: `${ADMIN_KEY}!`,
    });
    expect(stranger).toMatchObject({ code: 2, stdout: '' });
    expect(stranger.stderr).toContain('admin_key_required');
    expect(await readFile(csv, 'utf8')).toBe(text);
  } finally {
    await instance.stop();
  }
});

test.each([
  [['export'], 'ADMIN_KEY is not set. Set it to the one that the service was started with.\n'],
  [['mark-paid', CLAIM_ID, SIGNATURE], 'ADMIN_KEY is not set.'],
  [['mark-paid'], 'Give a claim id and a signature, or --file with lines of them.\n'],
  [['mark-paid', CLAIM_ID], 'Give a claim id and a signature, or --file with lines of them.\n'],
  [['mark-paid', '--file', 'nowhere.txt'], 'ENOENT'],
  [['verify', '--csv', 'x', '--rpc-url', 'x', '--program-id', 'x'], '"x" is not the address of a ledger'],
])('%j cannot be done, and says why', async (args, sentence) => {
  const { code, stdout, stderr } = await runHere(['rewards', ...args], { ADMIN_KEY: '' });
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('    at ');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test.each([
  ['no signature', CLAIM_ID],
  ['a character that is not of base58', `${CLAIM_ID},${'0'.repeat(64)}`],
])('a file with a line of %s is refused before anything is marked', async (_, line) => {
  const file = join(await newFolder(), 'payouts.txt');
  await writeFile(file, `${CLAIM_ID},${anySignature()}\n${line}\n`);
  const { code, stderr } = await runHere(['rewards', 'mark-paid', '--file', file], { ADMIN_KEY });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'Line 2 is not a claim id, a comma and a signature. Nothing was marked.\n',
  });
});
