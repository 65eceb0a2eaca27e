import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresFailed, startPostgres } from '../../src/postgres/index.js';

/** Runs mount or umount; whether it was allowed. */
function ran(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Only root may mount, and not in every container. */
const mayMount = await (async () => {
  const probe = await mkdtemp(join(tmpdir(), 'relay-pg-mount-'));
  const mounted = ran('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe) && ran('umount', probe);
  await rm(probe, { recursive: true });
  return mounted;
})();

describe.skipIf(!mayMount)('a disk without space', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'relay-pg-small-'));
    ran('mount', '-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', dataDir);
  });
  afterAll(async () => {
    ran('umount', dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  test('ends the first start with the reason, and leaves nothing that a later start stumbles over', async () => {
    const failure = await startPostgres({ dataDir }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PostgresFailed);
    expect(String(failure)).toContain('No space left on device');

    ran('mount', '-o', 'remount,size=256m', dataDir);
    const postgres = await startPostgres({ dataDir });
    const client = new Client({ connectionString: postgres.connectionString });
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await postgres.stop();
  });
});
