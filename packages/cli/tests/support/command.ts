import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished } from 'vitest';

export const COMMAND = fileURLToPath(new URL('../../bin/legwork.mjs', import.meta.url));

/** Settings of the machine that runs the tests must not reach the command. */
const OURS = ['HOST', 'PORT', 'PUBLIC_URL', 'DATABASE_URL', 'SOLANA_RPC_URL', 'SOLANA_WS_URL', 'RELAY_PROGRAM_ID'];

/** How the command ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running `legwork`, with what it has printed so far. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  /** Resolves once stdout shows `text`; rejects with everything printed when the command ends before. */
  shows(text: string): Promise<void>;
}

/** Starts the built command. One that a failed test leaves running is told to end, and waited for. */
export function startCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  file = COMMAND,
): RunningCommand {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.includes(name)));
  const child = spawn(process.execPath, [file, ...args], {
    cwd: tmpdir(),
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    async shows(text) {
      const shown = new Promise<true>((resolve) => {
        const look = () => stdout.includes(text) && resolve(true);
        child.stdout.on('data', look);
        look();
      });
      const how = await Promise.race([shown, ended]);
      if (how !== true) throw new Error(`legwork ${args.join(' ')} ended (${how.code}): ${stdout}${stderr}`);
    },
  };
}

/** Runs the built command to its end. */
export async function runCommand(
  args: readonly string[],
  env?: Record<string, string>,
  file?: string,
): Promise<Ended & { stdout: string; stderr: string }> {
  const command = startCommand(args, env, file);
  const ended = await command.ended;
  return { ...ended, stdout: command.stdout(), stderr: command.stderr() };
}

/** Folders for one test file, removed after it. */
export function temporaryFolders(): () => Promise<string> {
  const folders: string[] = [];
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'legwork-cli-'));
    folders.push(folder);
    return folder;
  };
}
