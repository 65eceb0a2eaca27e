import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLegworkClient, listPackage } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';
import { afterEach, describe, expect, test } from 'vitest';
import type { Instance } from '../src/start/instanceFile.js';
import { runCommand, type RunningCommand, startCommand, temporaryFolders } from './support/command.js';
import { isReady } from './support/service.js';
import { fundedWallet } from './support/wallets.js';

const READY = 'Legwork is ready';
const ANY_PORTS = ['--port', '0', '--ledger-port', '0'];
/** A bound for a machine that is busy with other tests. */
const SLOW = 600_000;
const newFolder = temporaryFolders();
const running: RunningCommand[] = [];

afterEach(async () => {
  for (const command of running.splice(0)) {
    command.child.kill('SIGTERM');
    await command.ended;
  }
});

function start(args: readonly string[], env?: Record<string, string>): RunningCommand {
  const command = startCommand(['start', ...args], env);
  running.push(command);
  return command;
}

async function instanceIn(dataDir: string): Promise<Instance> {
  return JSON.parse(await readFile(join(dataDir, 'instance.json'), 'utf8')) as Instance;
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50);
}

describe('start --ephemeral', () => {
  test('says where everything is and how to operate it, and leaves nothing behind (S-262)', {
    timeout: SLOW,
  }, async () => {
    const command = start(['--ephemeral']);
    await command.shows('Stop     Ctrl-C');
    const dataDir = /Data folder +(\S+) \(removed in the end\)/.exec(command.stdout())?.[1] ?? '';
    const instance = await instanceIn(dataDir);
    const { url, mcpUrl, wsUrl, rpcUrl, programId, coordinatorPubkey } = instance;
    for (const shown of [
      `${url}/docs`,
      mcpUrl,
      wsUrl,
      rpcUrl,
      programId,
      coordinatorPubkey,
      `Dashboard      ${url}/`,
    ]) {
      expect(command.stdout()).toContain(shown);
    }
    expect(instance.pid).toBe(command.child.pid);
    const answer = await fetch(`${url}/config`);
    // For this machine alone it takes more than a service on a network does. Rule S-18.
    expect(answer.headers.get('ratelimit-limit')).toBe('6000');
    expect(await answer.json()).toMatchObject({
      programId,
      coordinatorPubkey,
      cluster: 'embedded',
    });

    // The person who started it operates it, by the command that was printed.
    const [, operate = ''] = /Operate {2}npx legwork (.*)/.exec(command.stdout()) ?? [];
    const opened = await runCommand(operate.split(' '));
    expect(opened.stdout).toMatch(new RegExp(`^${url}/ops#\\w+\n`));
    const elsewhere = await runCommand(['ops', 'status', '--data', join(dataDir, 'ledger')]);
    expect(elsewhere.stderr).toBe(`No Legwork runs in ${join(dataDir, 'ledger')}.\n`);

    // npm passes a Ctrl-C on that the terminal has delivered already.
    command.child.kill('SIGINT');
    command.child.kill('SIGINT');
    expect(await command.ended).toEqual({ code: 0, signal: null });
    expect(command.stderr()).toBe('');
    expect(command.stdout()).toContain('Stopped.');
    expect(existsSync(dataDir)).toBe(false);
    expect(await answers(url)).toBe(false);
    expect(await answers(rpcUrl)).toBe(false);
  });
});

describe('[S-44] a forced end of start --ephemeral', () => {
  test.each([
    ['when what it started does not stop in time', 'PostgreSQL did not stop within 7.5 seconds.\n', false],
    ['at a second Ctrl-C', 'Stopped at once, not in order; the next start puts things right.\n', true],
  ])('leaves no process and no folder behind: %s', { timeout: SLOW }, async (_when, says, again) => {
    const command = start(['--ephemeral']);
    await command.shows('Stop     Ctrl-C');
    const dataDir = /Data folder +(\S+) \(removed in the end\)/.exec(command.stdout())?.[1] ?? '';
    const lockFile = await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8');
    const postmaster = Number(lockFile.split('\n')[0]);
    const ledger = await ledgerProcess(dataDir);
    // It hears no signal but SIGKILL now.
    process.kill(postmaster, 'SIGSTOP');
    command.child.kill('SIGINT');
    await command.shows('Stopping ...');
    // Sooner it would count as the same keypress.
    if (again) await sleep(1000);
    if (again) command.child.kill('SIGINT');
    expect(await command.ended).toEqual({ code: 1, signal: null });
    expect(command.stderr()).toBe(says);
    expect(existsSync(dataDir)).toBe(false);
    await until(async () => ![postmaster, ledger].some(isRunning));
  });
});

describe('start in a data folder', () => {
  test('is told apart from a second one, survives SIGKILL with everything it had, and says what it rebuilds without its database (S-258)', {
    timeout: SLOW,
  }, async () => {
    const dataDir = await newFolder();
    const first = start(['--data', dataDir, ...ANY_PORTS]);
    await first.shows(READY);
    const before = await instanceIn(dataDir);
    const arbiterFile = join(dataDir, 'arbiter-keypair.json');
    expect((await stat(arbiterFile)).mode & 0o777).toBe(0o600);
    const client = createLegworkClient({ url: before.url });
    const config = await client.getConfig();
    const shipper = await fundedWallet(createSolanaRpc(before.rpcUrl), 2_000_000_000n);
    const { id: packageId } = await listPackage(client, shipper, {
      originLat: 52.52,
      originLng: 13.405,
      destLat: 52.4,
      destLng: 13.05,
      description: 'A box of books',
      weightKg: 4,
      volumeLitres: 20,
      maxBudgetSol: 0.5,
    });
    const listed = await client.getPackage({ packageId });
    expect(listed.terms).toMatchObject({ arbiterPubkey: before.arbiterPubkey });

    const second = await runCommand(['start', '--data', dataDir, ...ANY_PORTS]);
    expect(second.stderr).toBe(
      `The data folder ${dataDir} is in use by another running Legwork (process ${first.child.pid}). ` +
        'Stop that one, or choose another folder with --data.\n',
    );
    expect(second).toMatchObject({ code: 1, stdout: '' });
    const secondLedger = await runCommand(['ledger', '--data', dataDir, '--port', '0']);
    expect(secondLedger.stderr.trim().split('\n')).toHaveLength(1);
    expect(secondLedger).toMatchObject({ code: 1, stdout: '' });

    first.child.kill('SIGKILL');
    await first.ended;
    // A folder of before there were arbiters has none.
    await rm(arbiterFile);
    // At once, while the ledger still notices that it is alone.
    const third = start(['--data', dataDir, ...ANY_PORTS]);
    await third.shows(READY);
    const after = await instanceIn(dataDir);
    const resumed = createLegworkClient({ url: after.url });
    expect(await resumed.getConfig()).toMatchObject({
      genesisHash: config.genesisHash,
      programId: before.programId,
      coordinatorPubkey: before.coordinatorPubkey,
      arbiterPubkey: after.arbiterPubkey,
    });
    expect(after.arbiterPubkey).not.toBe(before.arbiterPubkey);
    // The links name the ledger's port, which is another one now; the listing becomes final meanwhile.
    const { explorer: _, finality: __, ...same } = listed;
    expect(await resumed.getPackage({ packageId: listed.id })).toMatchObject(same);
    third.child.kill('SIGTERM');
    expect(await third.ended).toEqual({ code: 0, signal: null });
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(false);

    await rm(join(dataDir, 'postgres'), { recursive: true });
    const fourth = start(['--data', dataDir, ...ANY_PORTS]);
    await fourth.shows('1 listing is rebuilt; its text comes back with its papers: legwork papers give');
    expect(fourth.stdout()).toContain('Listings of this program are not in this database');
    fourth.child.kill('SIGTERM');
    expect(await fourth.ended).toEqual({ code: 0, signal: null });

    await rm(join(dataDir, 'ledger'), { recursive: true });
    const foreign = await runCommand(['start', '--data', dataDir, ...ANY_PORTS]);
    expect(foreign.stderr).toMatch(/ledger/);
    expect(foreign.stderr.trim().split('\n')).toHaveLength(1);
    expect(foreign.code).toBe(1);
    expect(existsSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
  });

  test('brings a lost ledger back on the same ports', { timeout: SLOW }, async () => {
    const dataDir = await newFolder();
    const command = start(['--data', dataDir, ...ANY_PORTS]);
    await command.shows(READY);
    const { url, rpcUrl } = await instanceIn(dataDir);
    const { genesisHash } = await createLegworkClient({ url }).getConfig();
    const lost = await ledgerProcess(dataDir);
    process.kill(lost, 'SIGKILL');
    const rpc = createSolanaRpc(rpcUrl);
    await until(
      async () =>
        (await rpc
          .getGenesisHash()
          .send()
          .catch(() => undefined)) === genesisHash,
    );
    expect(await ledgerProcess(dataDir)).not.toBe(lost);
    await until(() => isReady(url));
    expect(await readFile(join(dataDir, 'service.log'), 'utf8')).toContain(
      'The ledger ended unexpectedly (by SIGKILL)',
    );
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The process number of the ledger that was started last, from the log. */
async function ledgerProcess(dataDir: string): Promise<number> {
  const log = await readFile(join(dataDir, 'service.log'), 'utf8');
  const started = [...log.matchAll(/(?:Started the ledger|The ledger is back) \(process (\d+)\)/g)];
  return Number(started.at(-1)?.[1]);
}
