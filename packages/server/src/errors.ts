/** A port is taken. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';

  constructor(
    host: string,
    readonly port: number,
    setting: 'PORT' | 'METRICS_PORT' = 'PORT',
  ) {
    super(`Port ${port} on ${host} is in use by another program. Stop it, or choose another port with ${setting}.`);
  }
}

/** The database belongs to a ledger other than the one the service is pointed at. */
export class ForeignDatabaseError extends Error {
  override readonly name = 'ForeignDatabaseError';

  constructor(what: 'ledger' | 'program', recorded: string, found: string) {
    super(
      `The database belongs to the ${what} ${recorded}, but the service is pointed at ${found}. ` +
        'Give the database of this ledger (DATABASE_URL), or the ledger of this database (SOLANA_RPC_URL, RELAY_PROGRAM_ID).',
    );
  }
}

/** The database was brought to the schema of a newer version. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';

  constructor(migration: string) {
    super(
      `A newer version of the service changed the schema of the database (${migration}), and this version does not know it. ` +
        'Start the newer version, or restore the backup made before the upgrade.',
    );
  }
}

/** The database is of a PostgreSQL older than those the service is tested with. */
export class OldPostgresError extends Error {
  override readonly name = 'OldPostgresError';

  constructor(version: string, oldest: number) {
    super(
      `The database is of PostgreSQL ${version}, and the service needs ${oldest} or newer. ` +
        'Upgrade the server, or give another database (DATABASE_URL).',
    );
  }
}

/** Between the service and its database stands a pooler that hands each transaction another session. */
export class SharedSessionError extends Error {
  override readonly name = 'SharedSessionError';

  constructor() {
    super(
      'The pooler that DATABASE_URL names gives each transaction another session of the database, and the service needs whole ones. ' +
        'Let it hold sessions (PgBouncer: pool_mode = session), or name the database itself.',
    );
  }
}

/** A service behind a setting does not answer, or refuses access. Its own error is the cause. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  constructor(what: 'database' | 'ledger', setting: 'DATABASE_URL' | 'SOLANA_RPC_URL', cause: unknown) {
    super(`The ${what} that ${setting} names cannot be used: ${reasonOf(cause)}.`, { cause });
  }
}

/** The words of an error; a connection that was refused at several addresses has them in the errors it gathers. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
