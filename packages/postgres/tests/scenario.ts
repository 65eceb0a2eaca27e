import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';

/** A new folder under the temporary one that everybody may walk through. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'relay-pg-'));
  await chmod(folder, 0o755);
  return folder;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** One statement over a connection of its own. */
export async function query(connectionString: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The same service's server, seen by its superuser. */
export function asSuperuser(connectionString: string): string {
  return connectionString.replace('relay@/relay', 'postgres@/postgres');
}

export function clusterOf(dataDir: string): string {
  return join(dataDir, 'postgres', 'cluster');
}

/** The process number in `postmaster.pid`. */
export async function postmasterPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(clusterOf(dataDir), 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Waits for something that other processes bring about; the test's own time limit bounds it. */
export async function eventually<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined && found !== false) return found;
    await sleep(20);
  }
}

/** Waits until the process is gone or at least ended (some containers collect no ended processes). */
export async function untilEnded(pid: number): Promise<void> {
  await eventually(async () => {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    const facts = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return / Z /.test(facts);
  });
}

const reportSchema = z.object({ connectionString: z.string(), adopted: z.boolean() });

/** A process of its own that supervises a PostgreSQL. */
export interface SupervisingProcess {
  readonly child: ChildProcess;
  readonly connectionString: string;
  readonly adopted: boolean;
  /** Everything it and its PostgreSQL printed so far. */
  readonly printed: () => string;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Forks the process without waiting for its PostgreSQL. */
export function forkSupervisor(dataDir: string): ChildProcess {
  const script = new URL('supervising-process.mjs', import.meta.url);
  return fork(script, [dataDir], { detached: true, silent: true, execArgv: [] });
}

/** Forks a supervising process and waits until its PostgreSQL is up. */
export async function superviseElsewhere(dataDir: string): Promise<SupervisingProcess> {
  const child = forkSupervisor(dataDir);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const report = await new Promise<z.infer<typeof reportSchema>>((resolve, reject) => {
    child.on('message', (message) => {
      const parsed = reportSchema.safeParse(message);
      if (parsed.success) resolve(parsed.data);
    });
    child.once('exit', () => reject(new Error(`The supervising process ended: ${printed}`)));
  });
  return {
    child,
    ...report,
    printed: () => printed,
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.send('stop');
      await ended;
    },
  };
}

/** Names in a folder; none if it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
