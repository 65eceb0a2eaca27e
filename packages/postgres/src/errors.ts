/** No PostgreSQL program that can run here: neither the bundled one nor one of this machine. */
export class PostgresUnavailableError extends Error {
  readonly code = 'postgres_unavailable';
  override readonly name = 'PostgresUnavailableError';
}

/** Another living process supervises the PostgreSQL of this data folder. */
export class PostgresInUseError extends Error {
  readonly code = 'postgres_in_use';
  override readonly name = 'PostgresInUseError';
}

/** PostgreSQL is here but could not be set up, started or stopped; the message says why and what would help. */
export class PostgresFailedError extends Error {
  readonly code = 'postgres_failed';
  override readonly name = 'PostgresFailedError';
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
