import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DemoError } from './demoError.js';

const CLI = fileURLToPath(new URL('../../../packages/cli/bin/agent-relay.mjs', import.meta.url));
/** Settings for an instance of the user's must not reach this one. */
const NOT_OURS = /^(DATABASE_URL|HOST|PORT|PUBLIC_URL|COORDINATOR_KEYPAIR|RELAY_.*|SOLANA_.*)$/;
const START_MS = 120_000;
const STOP_MS = 15_000;

/** A whole Agent Relay of its own, in a temporary folder. */
export interface OwnInstance {
  readonly url: string;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL, ledger and service on free ports.
 *
 * @throws {DemoError} with what it printed, when it does not come up
 */
export async function startOwnInstance(): Promise<OwnInstance> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-relay-demo-'));
  const args = [CLI, 'start', '--data', join(folder, 'data'), '--port', '0', '--ledger-port', '0'];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_OURS.test(name)));
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const stop = async () => {
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(forced);
    await rm(folder, { recursive: true, force: true });
  };
  const url = await waitForUrl(join(folder, 'data', 'instance.json'), child);
  if (url !== undefined) return { url, stop };
  await stop();
  throw new DemoError(`Agent Relay did not start:\n${printed.trim()}`);
}

async function waitForUrl(file: string, child: ChildProcess): Promise<string | undefined> {
  const until = Date.now() + START_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < until) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) {
      const { url }: { url: string } = JSON.parse(text);
      return url;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}
