import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Receipt } from '@legwork/sdk';

const FOLDER = fileURLToPath(new URL('../../receipts/', import.meta.url));

/** A chain, and what each program says of it: its lines, or where it fails. */
export interface Vector {
  readonly name: string;
  readonly chain: readonly Receipt[];
  readonly says?: readonly string[];
  readonly fault?: string;
}

export async function readVectors(): Promise<Vector[]> {
  const vectors: Vector[] = JSON.parse(await readFile(join(FOLDER, 'vectors.json'), 'utf8'));
  return vectors;
}

/** How a program of the examples ended, and what it printed. */
interface Ended {
  readonly code: number;
  readonly output: string;
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd: FOLDER, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: `${stdout}${stderr}`.trim() });
    });
  });
}

/** A program that verifies receipts, in a language that may not be on this machine. */
export interface ReceiptVerifier {
  /** Why it cannot run here; undefined: it can. */
  readonly missing: string | undefined;
  /** Its word on a chain, asking a ledger too if told one. */
  readonly verify: (chain: readonly Receipt[], rpcUrl?: string) => Promise<Ended>;
}

function verifierBy(missing: string | undefined, command: string, args: readonly string[] = []): ReceiptVerifier {
  return {
    missing,
    verify: async (chain, rpcUrl) => {
      const file = join(await mkdtemp(join(tmpdir(), 'receipts-')), 'chain.json');
      await writeFile(file, JSON.stringify(chain));
      return run(command, [...args, file, ...(rpcUrl === undefined ? [] : ['--rpc', rpcUrl])]);
    },
  };
}

export const typescriptVerifier = () =>
  verifierBy(undefined, process.execPath, [fileURLToPath(new URL('../../dist/receipts/verify.js', import.meta.url))]);

export async function pythonVerifier(): Promise<ReceiptVerifier> {
  // A version manager's stand-in takes longer to start than Python itself.
  const { code, output } = await run('python3', ['-c', 'import cryptography, sys; print(sys.executable)']);
  return code === 0
    ? verifierBy(undefined, output, ['verify.py'])
    : verifierBy('there is no Python 3 with cryptography here', 'python3');
}

export async function goVerifier(): Promise<ReceiptVerifier> {
  const binary = join(await mkdtemp(join(tmpdir(), 'receipts-go-')), 'verify');
  if ((await run('go', ['version'])).code !== 0) return verifierBy('there is no Go here', binary);
  return compiled(binary, await run('go', ['build', '-o', binary, 'verify.go'], { GOTOOLCHAIN: 'local' }));
}

export async function rustVerifier(): Promise<ReceiptVerifier> {
  const target = await mkdtemp(join(tmpdir(), 'receipts-rust-'));
  const binary = join(target, 'debug', 'verify');
  if ((await run('cargo', ['fetch', '--locked'])).code !== 0)
    return verifierBy('no cargo that gets its crates', binary);
  return compiled(
    binary,
    await run('cargo', ['build', '--locked', '--offline', '--quiet'], { CARGO_TARGET_DIR: target }),
  );
}

/** The lines that its formatter would lay out otherwise; empty: none. @param command the formatter, which prints that */
export async function unformatted(command: string, args: readonly string[]): Promise<string> {
  const { code, output } = await run(command, args);
  return code === 0 ? output : output || `${command} ended with ${code}`;
}

/** @throws {Error} with the compiler's output: a language that is here compiles its program */
function compiled(binary: string, { code, output }: Ended): ReceiptVerifier {
  if (code !== 0) throw new Error(output);
  return verifierBy(undefined, binary);
}

/** The differences between the vectors and a program's answers; empty: none. */
export async function differences({ verify }: ReceiptVerifier, vectors: readonly Vector[]): Promise<object[]> {
  const differing: object[] = [];
  for (const { name, chain, says, fault } of vectors) {
    const { code, output } = await verify(chain);
    const holds = says !== undefined ? code === 0 && output === says.join('\n') : code === 1 && isFault(output, fault);
    if (!holds) differing.push({ name, code, output });
  }
  return differing;
}

/** The SDK also says which line of a text is another one. */
const isFault = (output: string, fault = '') => output === fault || output.startsWith(`${fault}, another `);
