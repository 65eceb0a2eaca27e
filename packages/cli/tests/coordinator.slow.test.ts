import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readKeypairFile } from '@legwork/ledger';
import { createSolanaRpc } from '@solana/kit';
import { expect, onTestFinished, test } from 'vitest';
import type { Instance } from '../src/start/instanceFile.js';
import { runCommand, type RunningCommand, startCommand, temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { balanceOf } from './support/wallets.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 600_000;
const newFolder = temporaryFolders();

const addressIn = async (file: string) => (await readKeypairFile(file)).address;

test('coordinator set names another coordinator on a cluster, once, by its authority alone (P-57)', {
  timeout: SLOW,
}, async () => {
  const folder = await newFolder();
  const ledger = startCommand(['ledger', '--data', folder, '--port', '0', '--slot-ms', '20']);
  onTestFinished(async () => {
    ledger.child.kill('SIGINT');
    await ledger.ended;
  });
  await ledger.shows('Stop it with Ctrl-C');
  const rpcUrl = /RPC +(http\S+)/.exec(ledger.stdout())?.[1] ?? '';
  const programId = /Program +(\S+)/.exec(ledger.stdout())?.[1] ?? '';
  const key = (name: string) => join(folder, 'ledger', `${name}-keypair.json`);
  expect(/Coordinator +(\S+)/.exec(ledger.stdout())?.[1]).toBe(key('coordinator'));
  const former = await addressIn(key('coordinator'));
  const hot = join(folder, 'hot.json');
  const where = ['--rpc-url', rpcUrl, '--program-id', programId];
  const set = ['coordinator', 'set', '--authority', key('authority'), '--coordinator', hot];

  const stranger = await runHere(['coordinator', 'set', '--authority', key('faucet'), '--coordinator', hot, ...where]);
  expect(stranger.code).toBe(1);
  expect(stranger.stderr).toContain(
    `authority is ${await addressIn(key('authority'))}, not ${await addressIn(key('faucet'))}`,
  );
  const both = await runHere([...set.slice(0, -1), key('authority'), ...where]);
  expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining('must be another one') });
  expect(await runHere(set)).toMatchObject({ code: 2, stderr: expect.stringContaining('--rpc-url') });

  const first = await runHere([...set, ...where]);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const named = await addressIn(hot);
  expect((await stat(hot)).mode & 0o777).toBe(0o600);
  expect(first.stdout).toContain(`The coordinator is ${named} now. It was ${former}.`);
  expect(first.stdout).toContain(`COORDINATOR_KEYPAIR=${hot}`);
  expect(first.stdout).toContain('it holds 0 lamports');

  // The environment names the cluster as well, and a repetition sends nothing.
  const authority = { address: await addressIn(key('authority')) };
  const before = await balanceOf(createSolanaRpc(rpcUrl), authority);
  const again = await runHere(set, { SOLANA_RPC_URL: rpcUrl, RELAY_PROGRAM_ID: programId });
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`was ${named} already; nothing was sent`) });
  expect(await balanceOf(createSolanaRpc(rpcUrl), authority)).toBe(before);

  // Of a key that lies elsewhere its address is enough.
  const back = await runHere([...set.slice(0, -1), former, ...where]);
  expect(back.stdout).toContain(`The coordinator is ${former} now.`);
});

async function startInstance(data: string): Promise<{ command: RunningCommand; instance: Instance }> {
  const command = startCommand(['start', '--data', data, '--port', '0', '--ledger-port', '0']);
  await command.shows('Stop     Ctrl-C');
  return { command, instance: JSON.parse(await readFile(join(data, 'instance.json'), 'utf8')) as Instance };
}

async function stop({ child, ended }: RunningCommand): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

/** The keys that the coordinator's document lists, by whose they are. */
async function issuersOf({ url }: Instance): Promise<string[]> {
  const document = (await (await fetch(`${url}/did/coordinator`)).json()) as {
    verificationMethod: { controller: string }[];
  };
  return document.verificationMethod.map(({ controller }) => controller.replace('did:svc:', ''));
}

test('coordinator set changes the key of a data folder, stopped or running, and the next start uses it (S-66)', {
  timeout: SLOW,
}, async () => {
  const data = await newFolder();
  const set = (file: string) => runCommand(['coordinator', 'set', '--data', data, '--coordinator', join(data, file)]);
  const { command, instance } = await startInstance(data);
  await stop(command);

  const first = await set('second.json');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const second = await addressIn(join(data, 'second.json'));
  expect(first.stdout).toContain(`The coordinator is ${second} now. It was ${instance.coordinatorPubkey}.`);
  expect(first.stdout).toContain(`The next legwork start --data ${data} uses it.`);
  // The former key is kept: money returns to it.
  const kept = join(data, 'ledger', `coordinator-keypair.${instance.coordinatorPubkey}.json`);
  expect(await addressIn(kept)).toBe(instance.coordinatorPubkey);
  expect((await stat(join(data, 'ledger', 'coordinator-keypair.json'))).mode & 0o777).toBe(0o600);
  expect(await set('second.json')).toMatchObject({ code: 0, stdout: expect.stringContaining('already') });

  const rotated = await startInstance(data);
  expect(rotated.instance.coordinatorPubkey).toBe(second);
  expect(await balanceOf(createSolanaRpc(rotated.instance.rpcUrl), { address: second })).toBe(1_000_000_000_000n);
  expect(await issuersOf(rotated.instance)).toEqual([second, instance.coordinatorPubkey]);

  const running = await set('third.json');
  expect(running.stdout).toContain('Stop the running service now and start it again');
  await stop(rotated.command);
  const third = await addressIn(join(data, 'third.json'));
  const again = await startInstance(data);
  expect(again.instance.coordinatorPubkey).toBe(third);
  expect((await issuersOf(again.instance)).toSorted()).toEqual([instance.coordinatorPubkey, second, third].toSorted());
  await stop(again.command);
});
