/** No PostgreSQL program that can run here: neither the bundled one nor one of this machine. */
export class PostgresUnavailable extends Error {
  readonly code = 'postgres_unavailable';
  override readonly name = 'PostgresUnavailable';
}

/** Another living process supervises the PostgreSQL of this data folder. */
export class PostgresInUse extends Error {
  readonly code = 'postgres_in_use';
  override readonly name = 'PostgresInUse';
}

/** PostgreSQL is here but could not be set up, started or stopped; the message says why and what would help. */
export class PostgresFailed extends Error {
  readonly code = 'postgres_failed';
  override readonly name = 'PostgresFailed';
}

/** The `code` of a system, PostgreSQL or own error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** An error's message without its class and stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
