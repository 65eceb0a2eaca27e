import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './errors.js';
import type { Layout } from './layout.js';
import { spawn } from 'node:child_process';
import { type Account, runAs } from './account.js';

/** Reports whether a process runs. One that ended but was not yet collected by its parent does not. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true;
  const facts = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The state follows the name, which is in parentheses and may itself contain some.
  const state = facts?.slice(facts.lastIndexOf(')') + 2, facts.lastIndexOf(')') + 3);
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Reports whether that process is the server of this very cluster, not one that got the same number later. */
export async function isPostmasterOf(layout: Layout, pid: number): Promise<boolean> {
  if (!(await isAlive(pid))) return false;
  const command = await commandOf(pid);
  if (!/\bpostgres\b/.test(command) || command.startsWith('postgres: ')) return false;
  // A server's working directory is its cluster. Not every root may look (a container's may not).
  const [cwd, cluster] = await Promise.all([
    stat(`/proc/${pid}/cwd`).catch(() => undefined),
    stat(layout.cluster).catch(() => undefined),
  ]);
  if (cwd && cluster) return cwd.dev === cluster.dev && cwd.ino === cluster.ino;
  return command.includes(layout.marker);
}

/** Server processes of this cluster that outlived their postmaster. Only Linux can tell; elsewhere none are found. */
export async function orphansOf(layout: Layout): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const uid = layout.account?.uid ?? process.getuid?.();
  const orphans: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    const command = await commandOf(pid);
    if (!command.startsWith(`postgres: ${layout.marker}: `)) continue;
    const owner = await stat(join('/proc', name)).catch(() => undefined);
    if (owner?.uid === uid && (await isAlive(pid))) orphans.push(pid);
  }
  return orphans;
}

/** Reports whether that server reads its log of writes, as each does before it lets anybody in. Only Linux can tell; elsewhere it is taken to. */
export async function isRecovering(postmaster: number): Promise<boolean> {
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').catch(() => undefined);
  if (children === undefined) return true;
  const commands = await Promise.all(
    children
      .trim()
      .split(' ')
      .map((pid) => commandOf(Number(pid))),
  );
  return commands.some((command) => /^postgres: .*\bstartup\b/.test(command));
}

/** Waits until the process has ended; `false` when it still runs after `timeoutMs`. */
export async function waitForExit(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (await isAlive(pid)) {
    if (Date.now() >= deadline) return false;
    await sleep(20);
  }
  return true;
}

/** Sends a signal; a process that is gone already is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** The command line, its words joined by spaces; empty when it cannot be read. */
async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return words.replaceAll('\0', ' ').trim();
  }
  const listed = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { account: undefined, timeoutMs: 5000 });
  return listed.stdout.trim();
}

/** How a short program ended. */
interface Finished {
  readonly ok: boolean;
  readonly stdout: string;
  /** Everything it printed, or the system's reason why it did not run. */
  readonly output: string;
}

/**
 * The environment of PostgreSQL's programs: nothing of ours leaks in (PGDATA, PGPORT, …), messages are English so that
 * they can be recognised.
 */
export const environment: Readonly<NodeJS.ProcessEnv> = { PATH: process.env['PATH'], LC_ALL: 'C' };

/** Runs a program to its end, in `cwd`, as `account`; never rejects. */
export function run(
  program: string,
  args: readonly string[],
  { account, cwd = '/', timeoutMs }: { account: Account | undefined; cwd?: string; timeoutMs: number },
): Promise<Finished> {
  return new Promise((resolve) => {
    let stdout = '';
    let output = '';
    const child = spawn(program, args, {
      ...runAs(account),
      cwd,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', (error) => resolve({ ok: false, stdout, output: error.message }));
    child.on('close', (code, signal) => {
      const ending = signal ? `${output}\nended by ${signal}` : output;
      resolve({ ok: code === 0, stdout, output: ending.trim() });
    });
  });
}
