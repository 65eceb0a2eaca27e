import { AsyncLocalStorage } from 'node:async_hooks';
import { runLine } from '../../src/runCli.js';

/** The output of a command line, and its end. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const saying = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (...args: unknown[]) => {
    const said = saying.getStore();
    if (said === undefined) return write(...args);
    said[name] += String(args[0]);
    const taken = args.at(-1);
    if (typeof taken === 'function') taken();
    return true;
  };
}

function setAll(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/**
 * Runs a command line in this process, since every start of a process costs what the command itself does not. Several may run
 * at once while none of them fails: how this process would end is theirs together.
 *
 * @param env - variables that the line reads; undefined: not set
 */
export async function runHere(args: readonly string[], env: Record<string, string | undefined> = {}): Promise<Said> {
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  const said = { stdout: '', stderr: '' };
  setAll(env);
  try {
    const code = await saying.run(said, () => runLine(['node', 'legwork', ...args]));
    return { code, ...said };
  } finally {
    process.exitCode = undefined;
    setAll(before);
  }
}
