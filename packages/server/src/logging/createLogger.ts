import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config.js';

/** Most bytes that wait while writing fails; further entries are dropped. */
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * Where a log goes, a file or a descriptor. Writing to it never fails: a full disk must not turn into the answer to a
 * request. Rule S-82.
 */
export function openLog(dest: string | number): DestinationStream {
  const to = pino.destination({ dest, mode: 0o600, sync: true, maxLength: MOST_WAITING_BYTES });
  // Without a listener the error would be thrown at the one who logs. What waits is written with the next entry.
  to.on('error', () => undefined);
  return to;
}

/** The log of the service: one line of JSON per entry, on standard output by default. Rule S-8. */
export function createLogger(level: Config['logLevel'], to: DestinationStream = openLog(1)): Logger {
  return pino({ level, base: null, serializers: { err: (error: unknown) => errorForLog(error) } }, to);
}

/** An error as the log shows it. */
interface LoggedError {
  type: string;
  message: string;
  stack: string | undefined;
  /** The code that the system, the driver or PostgreSQL gave it. */
  code?: string | number;
  cause?: LoggedError | string;
  /** The errors of an AggregateError, such as one for each address that refused a connection. */
  errors?: (LoggedError | string)[];
}

/** How deep causes are shown; deeper ones, or circles, are not worth their lines. */
const MAX_DEPTH = 5;

/**
 * An error with its causes and no other properties: drivers attach whole connection strings, rows and requests to their
 * errors, which must never reach the log.
 */
function errorForLog(error: unknown, depth = 0): LoggedError | string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  const shown: LoggedError = { type: error.name, message: error.message, stack: error.stack };
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')) shown.code = error.code;
  if (depth === MAX_DEPTH) return shown;
  if (error.cause !== undefined) shown.cause = errorForLog(error.cause, depth + 1);
  if (error instanceof AggregateError) shown.errors = error.errors.map((one) => errorForLog(one, depth + 1));
  return shown;
}
