import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../../packages/cli/bin/legwork.mjs', import.meta.url));
/** Settings for an instance of the user's must not reach the demo's. */
const NOT_OURS =
  /^(DATABASE_URL|HOST|PORT|PUBLIC_URL|MCP_PUBLIC_URL|TRUST_PROXY|API_KEYS|ARBITER_PUBKEY|COORDINATOR_.*|LIMIT_.*|RELAY_.*|SOLANA_.*|SPONSOR_.*)$/;

/** A running `legwork`. */
export interface Legwork {
  readonly child: ChildProcess;
  /** Everything it printed so far. */
  readonly printed: () => string;
  /** Its exit code; null when a signal ended it, or it never began. */
  readonly ended: Promise<number | null>;
}

/** Starts the command with exactly the given settings. It does not outlive the demo, even a killed one. */
export function legwork(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Legwork {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_OURS.test(name)));
  const child = spawn(process.execPath, [CLI, ...args], {
    // The channel tells the command when this process is gone.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...inherited, ...settings },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  return { child, printed: () => printed, ended };
}
