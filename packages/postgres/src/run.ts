import { spawn } from 'node:child_process';
import { type Account, runAs } from './account.js';

/** How a short program ended. */
export interface Finished {
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
