import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { waitUntilReady } from '../src/postmaster.js';
import { eventually, removeFolder, temporaryFolder } from './scenario.js';

const REFUSAL = 'SFATAL\0C57P03\0Mthe database system is not yet accepting connections\0\0';

/** A stand-in for the postmaster: PostgreSQL gets into this state once in some minutes of full disks. */
describe.runIf(process.platform === 'linux')('a server that has said for half a minute that it recovers', () => {
  let folder: string;
  let server: Server;
  let postmaster: ChildProcess;
  let refusals: number;

  beforeEach(async () => {
    folder = await temporaryFolder();
    refusals = 0;
    server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () => {
          refusals += 1;
          const length = Buffer.alloc(4);
          length.writeInt32BE(4 + REFUSAL.length);
          socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(REFUSAL)]));
        });
    });
    await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  });
  afterEach(async () => {
    vi.useRealTimers();
    if (postmaster.pid !== undefined) process.kill(-postmaster.pid, 'SIGKILL');
    server.close();
    await removeFolder(folder);
  });

  /** Waits for it, half a minute of which is over after its first refusals. @param title - of the process that it has */
  async function waitFor(title: string, signal: AbortSignal): Promise<unknown> {
    postmaster = spawn('bash', ['-c', `(exec -a '${title}' sleep 60) & wait`], { stdio: 'ignore', detached: true });
    const pid = postmaster.pid ?? 0;
    await eventually(async () => {
      const child = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      return (await readFile(`/proc/${child.trim()}/cmdline`, 'utf8')).startsWith(title);
    });
    const waiting = waitUntilReady({ pid, socketDir: folder }, signal, () => undefined);
    await refused(3);
    vi.setSystemTime(Date.now() + 31_000);
    return waiting;
  }

  async function refused(times: number): Promise<void> {
    while (refusals < times) await sleep(5);
  }

  test('is given up as silent where none of its processes recovers', async () => {
    expect(await waitFor('postgres: one: checkpointer', new AbortController().signal)).toBe('silent');
  });

  test('is waited for as long as one of its processes recovers', async () => {
    const giveUp = new AbortController();
    const outcome = waitFor('postgres: one: startup recovering 00000001', giveUp.signal).catch(() => 'waits');
    await refused(9);
    giveUp.abort();
    expect(await outcome).toBe('waits');
  });
});
