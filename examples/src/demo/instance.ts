import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { legwork } from './command.js';
import type { Legwork } from './command.js';
import { DemoError } from './stage.js';

const START_MS = 120_000;
const STOP_MS = 15_000;

interface StartOptions {
  readonly ledgerPort?: number;
  readonly movesTime?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Legwork of the demo's own. */
export interface OwnInstance {
  readonly url: string;
  /** Of `legwork start`, whose children are the other parts. */
  readonly pid: number | undefined;
  /** Ends it. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts PostgreSQL, ledger and service on free ports, in a temporary folder that is gone afterwards.
 *
 * @param settings environment variables of the service
 * @param movesTime the ledger's time can be moved forward
 * @throws {DemoError} with what it printed, when it does not come up
 */
export async function startOwnInstance(
  settings: Readonly<Record<string, string>> = {},
  movesTime = false,
): Promise<OwnInstance> {
  const folder = await mkdtemp(join(tmpdir(), 'legwork-demo-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { stop, ...instance } = await startInstance(join(folder, 'data'), { ledgerPort: 0, movesTime, settings });
    return { ...instance, stop: () => stop().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Starts what the settings do not name: PostgreSQL, the ledger unless `SOLANA_RPC_URL` is among them, and the service.
 *
 * @param data the data folder, which is kept
 * @throws {DemoError} with what it printed, when it does not come up
 */
export async function startInstance(
  data: string,
  { ledgerPort, movesTime, settings }: StartOptions,
): Promise<OwnInstance> {
  const ledger = ledgerPort === undefined ? [] : ['--ledger-port', String(ledgerPort)];
  const testing = movesTime ? ['--testing'] : [];
  const command = legwork(['start', '--data', data, '--port', '0', ...ledger, ...testing], settings);
  const stop = async () => {
    command.child.kill('SIGTERM');
    const forced = setTimeout(() => command.child.kill('SIGKILL'), STOP_MS);
    await command.ended;
    clearTimeout(forced);
  };
  const url = await waitForUrl(join(data, 'instance.json'), command);
  if (url !== undefined) return { url, pid: command.child.pid, stop };
  await stop();
  throw new DemoError(`Legwork did not start:\n${command.printed().trim()}`);
}

async function waitForUrl(file: string, { child }: Legwork): Promise<string | undefined> {
  const until = Date.now() + START_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < until) {
    const instance = await readInstance(file);
    // A killed instance may have left its file in a data folder that is kept.
    if (instance?.pid === child.pid) return instance?.url;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}

async function readInstance(file: string): Promise<{ url: string; pid: number } | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}
