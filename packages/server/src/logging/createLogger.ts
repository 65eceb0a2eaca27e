import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config.js';
import { errorForLog } from './errorForLog.js';

/** The log of the service: a line of JSON an entry, on standard output unless told otherwise. Rule S-8. */
export function createLogger(level: Config['logLevel'], to: DestinationStream = pino.destination(1)): Logger {
  return pino({ level, base: null, serializers: { err: (error: unknown) => errorForLog(error) } }, to);
}
