import { isForbidden, isLedgerAnswer } from '@legwork/program-client/history';
import { isSolanaError } from '@solana/kit';
import pg from 'pg';
import { UnreachableError } from './errors.js';
import { isUnavailable } from './ledger/ledger.js';

/** Socket errors, as Node names them. */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/**
 * Class 08 is connection exceptions; 57P0x is the server going down or coming up; class 53 is a lack of resources, such as
 * disk space (53100), and 58030 a failing disk; 57014 and 25P03 are queries that took too long.
 */
const SQLSTATE = /^(?:08...|57P0[123]|53...|58030|57014|25P03)$/;
/** Errors of the driver that have no code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/;

const codeOf = (error: Error) => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** True if the other side was not reached, or went away. A unix socket that does not exist is ENOENT of the system call connect. */
const isConnectionFault = (error: Error): boolean =>
  SOCKET_CODES.has(codeOf(error)) || ('syscall' in error && error.syscall === 'connect');

/** True if the database could not be used, rather than that a query was wrong: it may pass. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isConnectionFault(error) || SQLSTATE.test(codeOf(error)) || MESSAGES.test(error.message);
}

/** True if a node that did not answer for this reason may yet: it is away, silent, behind or busy, and not something else than a node. */
function mayAnswer(cause: unknown): boolean {
  if (cause instanceof DOMException) return cause.name === 'TimeoutError';
  if (isSolanaError(cause)) return !isForbidden(cause) && !isLedgerAnswer(cause);
  return cause === undefined || (cause instanceof Error && isConnectionFault(cause));
}

/** What a start says of an error of the database or of the ledger; any other error is itself. Rule S-81. */
export function unreachable(error: unknown): unknown {
  if (isUnavailable(error)) return new UnreachableError('ledger', error.cause, mayAnswer(error.cause));
  const passes = isDatabaseUnavailable(error);
  return passes || error instanceof pg.DatabaseError ? new UnreachableError('database', error, passes) : error;
}
