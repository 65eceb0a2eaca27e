import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { Ledger, LedgerOptions } from '@legwork/ledger';

const SCRIPT = new URL('./child.mjs', import.meta.url);

type ChildOptions = Omit<LedgerOptions, 'genesis' | 'log'>;

export type ChildLedger = Pick<Ledger, 'rpcUrl' | 'wsUrl' | 'genesisHash'> & {
  readonly process: ChildProcess;
  /** Kills it as a power cut would, and waits until it is gone. */
  readonly kill: () => Promise<void>;
};

/** Spawns a ledger without waiting for it. */
export function spawnLedger(options: ChildOptions, script = SCRIPT): ChildProcess {
  const args = [script.pathname, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** A ledger in a process of its own, serving. Needs the built packages (`npx tsc -b`). */
export async function childLedger(options: ChildOptions, script = SCRIPT): Promise<ChildLedger> {
  const child = spawnLedger(options, script);
  if (child.stdout === null) throw new Error('the ledger has no standard output');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), failOnExit(child)])) as [string];
  const urls = JSON.parse(line) as Pick<Ledger, 'rpcUrl' | 'wsUrl' | 'genesisHash'>;
  return { ...urls, process: child, kill: async () => kill(child) };
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function failOnExit(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`the ledger ended with code ${String(code)} before it served`);
}
