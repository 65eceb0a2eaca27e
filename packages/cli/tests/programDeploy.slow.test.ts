import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { address, createKeyPairSignerFromBytes, createSolanaRpc, lamports } from '@solana/kit';
import { ed25519 } from '@noble/curves/ed25519.js';
import { expect, onTestFinished, test } from 'vitest';
import { startCommand, temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { balanceOf } from './support/wallets.js';

const newFolder = temporaryFolders();

test('program deploy brings the program to a cluster, once', async () => {
  const folder = await newFolder();
  const ledger = startCommand(['ledger', '--data', folder, '--port', '0', '--slot-ms', '20', '--no-program']);
  onTestFinished(async () => {
    ledger.child.kill('SIGINT');
    expect(await ledger.ended).toEqual({ code: 0, signal: null });
  });
  await ledger.shows('Stop it with Ctrl-C');
  expect(ledger.stdout()).toMatch(/Program +none/);
  const url = /RPC +(http\S+)/.exec(ledger.stdout())?.[1] ?? '';
  const rpc = createSolanaRpc(url);

  const secret = crypto.getRandomValues(new Uint8Array(32));
  const bytes = new Uint8Array([...secret, ...ed25519.getPublicKey(secret)]);
  const payer = await createKeyPairSignerFromBytes(bytes);
  const files = {
    payer: join(folder, 'payer.json'),
    program: join(folder, 'program.json'),
    hot: join(folder, 'hot.json'),
  };
  await writeFile(files.payer, JSON.stringify([...bytes]), { mode: 0o600 });
  const deploy = ['program', 'deploy', '--url', url, '--keypair', files.payer];
  const options = ['--program-keypair', files.program, '--coordinator', files.hot];

  const poor = await runHere([...deploy, ...options]);
  expect(poor).toMatchObject({
    code: 1,
    stderr: `The payer ${payer.address} has no SOL on ${url}; send it some first.\n`,
  });

  await rpc.requestAirdrop(payer.address, lamports(5_000_000_000n), { commitment: 'confirmed' }).send();
  const first = await runHere([...deploy, ...options]);
  expect(first.stderr).toBe('');
  expect(first.code).toBe(0);
  const program = /RELAY_PROGRAM_ID=(\S+)/.exec(first.stdout)?.[1] ?? '';
  expect(first.stdout).toContain(`${program} (deployed)`);
  expect(first.stdout).toContain(`COORDINATOR_KEYPAIR=${files.hot}`);
  expect(first.stdout).toMatch(new RegExp(`Authority +${payer.address}`));
  expect((await stat(files.hot)).mode & 0o777).toBe(0o600);
  const { value } = await rpc.getAccountInfo(address(program), { encoding: 'base64', commitment: 'confirmed' }).send();
  expect(value?.executable).toBe(true);

  const before = await balanceOf(rpc, payer);
  const second = await runHere([...deploy, ...options]);
  expect(second.stdout).toContain(`${program} (unchanged)`);
  expect(second.stdout).toContain('The program was initialised earlier.');
  expect(await balanceOf(rpc, payer)).toBe(before);
});

test('program deploy says what is wrong with its files and its cluster', async () => {
  const folder = await newFolder();
  const missing = join(folder, 'none.json');
  const none = await runHere(['program', 'deploy', '--url', 'http://127.0.0.1:1', '--keypair', missing]);
  expect(none).toMatchObject({ code: 2, stderr: `There is no file ${missing}.\n` });
  const noUrl = await runHere(['program', 'deploy', '--url', 'devnet', '--keypair', missing]);
  expect(noUrl.stderr).toContain('It must be an address such as http://127.0.0.1:8899.');
});
