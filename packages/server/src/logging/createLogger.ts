import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config.js';
import { errorForLog } from './errorForLog.js';

/** What waits to be written while that fails; further entries are dropped. */
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * Where a log goes, a file or a descriptor. Writing to it never fails: a full disk must not turn into the answer to a
 * request. Rule S-82.
 */
export function openLog(dest: string | number): DestinationStream {
  const to = pino.destination({ dest, mode: 0o600, sync: true, maxLength: MOST_WAITING_BYTES });
  // Unheard, it would be thrown at whoever logs. What waits is written with the next entry that can be.
  to.on('error', () => undefined);
  return to;
}

/** The log of the service: a line of JSON an entry, on standard output unless told otherwise. Rule S-8. */
export function createLogger(level: Config['logLevel'], to: DestinationStream = openLog(1)): Logger {
  return pino({ level, base: null, serializers: { err: (error: unknown) => errorForLog(error) } }, to);
}
