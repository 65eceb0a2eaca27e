import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUuid } from '@legwork/protocol/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getReadiness } from '../../src/operations/meta.js';
import { startPostgres, type Postgres } from '@legwork/postgres';
import { migrateDatabase, startService, type TestService } from '../http/service.js';
import { mayMount, ran } from '../../../postgres/tests/mount.js';

describe.skipIf(!mayMount)('[S-82] a database without space', () => {
  let dataDir: string;
  let postgres: Postgres;
  let service: TestService;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'relay-full-'));
    ran('mount', '-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', dataDir);
    postgres = await startPostgres({ dataDir });
    await migrateDatabase(postgres.connectionString);
    service = await startService(postgres.connectionString, {
      getReadiness,
      listAgents: async ({ db }) => {
        // More than fits into what is free within the files there are.
        const row = { subject: 'x', type: 'PACKAGE_FAILED', payload: JSON.stringify({ packageId: createUuid() }) };
        await db
          .insertInto('events')
          .values(Array.from({ length: 2000 }, () => row))
          .execute();
        return { answer: [], nextCursor: undefined };
      },
    });
  });
  afterAll(async () => {
    await service.close();
    await postgres.stop();
    ran('umount', dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  const readiness = async () => {
    const { status, detail } = (await (await fetch(`${service.url}/readyz`)).json()) as Record<string, unknown>;
    return { status, detail };
  };

  test('is told as 503, by readiness too, until there is space again', async () => {
    const filling = join(dataDir, 'filling');
    await writeFile(filling, Buffer.alloc(256 * 1024 * 1024)).catch(() => undefined);
    const write = async () => {
      const answer = await fetch(`${service.url}/agents`);
      const { code, detail } = (await answer.json()) as Record<string, unknown>;
      return { status: answer.status, code, detail };
    };
    expect(await write()).toEqual({
      status: 503,
      code: 'not_ready',
      detail: 'The database cannot be used now; try again.',
    });
    expect((await readiness()).detail).toContain('database');
    await rm(filling);
    await expect.poll(async () => (await fetch(`${service.url}/agents`)).status).toBe(200);
    expect((await readiness()).detail).not.toContain('database');
  });
});
