import { dirname } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { isRoot, nobody } from '../src/account.js';
import { findBinaries, findInstalled } from '../src/binaries.js';
import { PostgresUnavailableError } from '../src/index.js';

const account = isRoot() ? await nobody() : undefined;
const silent = () => undefined;

afterEach(() => {
  vi.unstubAllEnvs();
});

test('the bundled programs are taken before those of the machine', async () => {
  const found = await findBinaries(account, undefined, silent);
  expect(found.version).toBe('18.4');
});

test('a PostgreSQL on PATH is found where none is bundled', async () => {
  const bundled = await findBinaries(account, undefined, silent);
  vi.stubEnv('PATH', `/nowhere:${dirname(bundled.postgres)}`);
  expect(await findInstalled(account, bundled.major)).toEqual(bundled);
});

test('without a fitting program the error names the version and DATABASE_URL', async () => {
  const search = findBinaries(account, 9, silent);
  await expect(search).rejects.toBeInstanceOf(PostgresUnavailableError);
  await expect(search).rejects.toThrow(/bundled one is version 18.*No PostgreSQL 9|no PostgreSQL 9, .*DATABASE_URL/s);
});
