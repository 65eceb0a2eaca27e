import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '@legwork/postgres';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the run's shared PostgreSQL listens: the folder of its unix socket, and the port in the socket's name. */
    postgres: { readonly host: string; readonly port: number };
    /** A folder that goes with the run. */
    scratch: string;
  }
}

const PREFIX = 'legwork-test-postgres-';

/** One PostgreSQL for the whole run, in a temporary folder that goes with it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers();
  const dataDir = await mkdtemp(join(tmpdir(), PREFIX));
  await writeFile(join(dataDir, 'owner'), String(process.pid));
  await suitTests(dataDir);
  const postgres = await startPostgres({ dataDir });
  const { host, port } = postgres.poolConfig;
  if (host === undefined || port === undefined) throw new Error('The test PostgreSQL names no socket.');
  project.provide('postgres', { host, port });
  const scratch = join(dataDir, 'scratch');
  await mkdir(scratch);
  project.provide('scratch', scratch);
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

/** Nothing here has to survive a power cut, and several services run at once, each with its connections. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '300',
};

/** Sets up the cluster; the next start reads its settings. */
async function suitTests(dataDir: string): Promise<void> {
  const postgres = await startPostgres({ dataDir });
  const client = new Client({ ...postgres.poolConfig, user: 'postgres', database: 'postgres' });
  await client.connect();
  for (const [name, value] of Object.entries(SETTINGS)) await client.query(`alter system set ${name} = ${value}`);
  await client.end();
  await postgres.stop();
}

/** A run that was killed leaves its server running: the next one stops it. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const dataDir = join(tmpdir(), name);
    try {
      const owner = Number(await readFile(join(dataDir, 'owner'), 'utf8'));
      if (!Number.isSafeInteger(owner) || owner <= 0 || isRunning(owner)) continue;
      const left = await startPostgres({ dataDir });
      await left.stop();
      await rm(dataDir, { recursive: true, force: true });
    } catch {
      // Somebody else's, or being made or removed just now.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
