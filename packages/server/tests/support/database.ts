import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';

/** Brings an empty database to the schema under test; every connection it opened is closed when it resolves. */
export type Migrate = (connectionString: string) => Promise<void>;

/** A database of one test file's own. */
export interface TestDatabase {
  /** For the role `relay`, which owns the database. */
  readonly connectionString: string;
  /** Removes the database; connections still open to it are cut. */
  drop(): Promise<void>;
}

/**
 * Gives the current file (or `describe`) a fresh migrated database and removes it afterwards.
 * The connection string is there once the tests and their hooks run.
 *
 * @example
 * const database = withTestDatabase(migrate);
 * test('…', async () => { const pool = new Pool({ connectionString: database.connectionString }); … });
 */
export function withTestDatabase(migrate: Migrate, migrationSet?: string): { readonly connectionString: string } {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase(migrate, migrationSet);
  });
  afterAll(() => database?.drop());
  return {
    get connectionString() {
      if (!database) throw new Error('The test database is there only while tests and hooks run.');
      return database.connectionString;
    },
  };
}

/**
 * Clones a fresh database from the migration set's template; the first call of the run makes the template.
 *
 * @param migrationSet - names the template; by default it follows from the text of `migrate`, so give a name where two
 *   functions of equal text do different things
 */
export async function createTestDatabase(migrate: Migrate, migrationSet?: string): Promise<TestDatabase> {
  const set = createHash('sha256')
    .update(migrationSet ?? migrate.toString())
    .digest('hex');
  const template = `template_${set.slice(0, 24)}`;
  const name = `test_${randomBytes(12).toString('hex')}`;
  await asAdmin(async (admin) => {
    await ensureTemplate(admin, template, migrate);
    // Copying files costs half of what writing every page to the log does, where nothing waits for a disk.
    await admin.query(`create database ${name} template ${template} owner relay strategy file_copy`);
  });
  return {
    connectionString: connectionString(name),
    drop: () => asAdmin(async (admin) => void (await admin.query(`drop database if exists ${name} with (force)`))),
  };
}

/** Test files run side by side: one makes the template, the others wait for it. */
async function ensureTemplate(admin: Client, template: string, migrate: Migrate): Promise<void> {
  await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [template]);
  try {
    const existing = await admin.query('select from pg_database where datname = $1', [template]);
    if (existing.rowCount !== 0) return;
    const unfinished = `${template}_unfinished`;
    await admin.query(`drop database if exists ${unfinished} with (force)`);
    await admin.query(`create database ${unfinished} owner relay`);
    await migrate(connectionString(unfinished));
    await admin.query(`alter database ${unfinished} rename to ${template}`);
    await admin.query(`alter database ${template} with is_template true allow_connections false`);
  } finally {
    await admin.query('select pg_advisory_unlock(hashtextextended($1, 0))', [template]);
  }
}

async function asAdmin<T>(work: (admin: Client) => Promise<T>): Promise<T> {
  const { host, port } = inject('postgres');
  const admin = new Client({ host, port, user: 'postgres', database: 'postgres', ssl: false });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

function connectionString(database: string): string {
  const { host, port } = inject('postgres');
  const folder = encodeURIComponent(host).replaceAll('%2F', '/');
  return `postgresql://relay@/${database}?host=${folder}&port=${port}&sslmode=disable`;
}
