import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_RESULT_BYTES } from '@legwork/protocol/contract';

/** How a command ended. */
export interface Ended {
  /** Its exit code; null: it was killed, by its time limit or for too much output. */
  readonly code: number | null;
  readonly output: Buffer;
  /** Why it was killed. */
  readonly killedFor: string | undefined;
  /** The end of what it wrote to its error output. */
  readonly complaint: string;
}

/** The input and limits of a command. */
export interface Running {
  readonly input: string;
  readonly timeoutSec: number;
  readonly folder: string;
  /** Beside the variables that this process has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The end of a complaint is where its reason is. */
const COMPLAINT_BYTES = 2_000;
/** For what an ended command wrote to arrive, milliseconds. */
const LAST_WORDS_MS = 1_000;

/**
 * Runs a command with a text on its input. It is killed with its children when its time is over, when its output is longer than a
 * result may be, or when the signal is aborted. Rule A-43.
 *
 * @throws {Error} when it cannot be started; the signal's reason when that is aborted
 */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  { input, timeoutSec, folder, env = {} }: Running,
  signal: AbortSignal,
): Promise<Ended> {
  signal.throwIfAborted();
  // A process group of its own, so that its children can be killed with it.
  const detached = process.platform !== 'win32';
  const child = spawn(program, args, { cwd: folder, detached, env: { ...process.env, ...env } });
  let killedFor: string | undefined;
  const end = (why: string) => {
    killedFor ??= why;
    killGroup(child);
  };
  const abort = () => end('it is not needed any more');
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => end(`it took longer than ${timeoutSec} s`), timeoutSec * 1000);
  try {
    // Not every command reads its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const output = collect(child.stdout, MAX_RESULT_BYTES, () => end(`it wrote more than ${MAX_RESULT_BYTES} bytes`));
    const complaint = lastOf(child.stderr, COMPLAINT_BYTES);
    const closed = once(child, 'close').catch(() => undefined);
    const [code] = (await once(child, 'exit')) as [number | null];
    // Processes that it left running in the background hold no result up.
    killGroup(child);
    await Promise.race([closed, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    signal.throwIfAborted();
    return { code: killedFor === undefined ? code : null, output: output(), killedFor, complaint: complaint() };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/** @returns the output so far, at most `most` bytes and one chunk */
function collect(stream: Readable, most: number, tooMuch: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes > most) return;
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > most) tooMuch();
  });
  return () => Buffer.concat(chunks);
}

/** @returns the end of what came so far */
function lastOf(stream: Readable, most: number): () => string {
  let last = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    last = Buffer.concat([last, chunk]).subarray(-most);
  });
  return () => last.toString('utf8').trim();
}
