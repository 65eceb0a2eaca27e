import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresFailedError, startPostgres } from '../src/index.js';
import { mayMount, ran } from './mount.js';

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
    expect(failure).toBeInstanceOf(PostgresFailedError);
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
