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

/** What the database says of access that is not granted, and what to do about it. */
const REMEDIES: Readonly<Record<string, string>> = {
  '28000': 'Let its pg_hba.conf admit this machine and role, or name another role',
  '28P01': 'Set the right user and password',
  '3D000': 'Create that database, or name another one',
  '42501': 'Let the role own its database',
};

const SETTINGS = { database: 'DATABASE_URL', ledger: 'SOLANA_RPC_URL' } as const;

/** The database or the ledger does not answer, or refuses access. Its own error is the cause. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  /** @param passes true if it may answer later, with nothing done here */
  constructor(
    readonly what: keyof typeof SETTINGS,
    override readonly cause: unknown,
    readonly passes: boolean,
    end = passes ? '' : remedyOf(what, cause),
  ) {
    super(`The ${what} that ${SETTINGS[what]} names cannot be used: ${reasonOf(cause)}.${end}`);
  }

  /** The same, once it was waited for in vain, so many milliseconds. */
  after(ms: number): UnreachableError {
    const end = ms === 0 ? '' : ` It was waited for ${ms / 1000} s (START_WAIT_SEC).`;
    return new UnreachableError(this.what, this.cause, this.passes, end);
  }
}

function remedyOf(what: keyof typeof SETTINGS, cause: unknown): string {
  if (what === 'ledger') return ' Name the JSON-RPC of a node that takes requests from here; not its WebSocket.';
  const remedy = cause instanceof Error && 'code' in cause ? REMEDIES[String(cause.code)] : undefined;
  return remedy === undefined ? '' : ` ${remedy}.`;
}

/** The words of an error; a connection that was refused at several addresses has them in the errors it gathers. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
