/** Socket errors of a connection to PostgreSQL, as Node names them. */
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
 * Class 08 is connection exceptions; 57P0x is the server going down or coming up; class 53 is want of something, such as space on the
 * disk (53100), and 58030 a disk that fails; 57014 and 25P03 are what took longer than it may (S-81).
 */
const SQLSTATE = /^(?:08...|57P0[123]|53...|58030|57014|25P03)$/;
/** What the driver says without a code. */
const MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/;

/** Whether an error means that the database could not be used, rather than that a query was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // A unix socket that is not there is ENOENT of the system call connect.
  if ('syscall' in error && error.syscall === 'connect') return true;
  return SOCKET_CODES.has(code) || SQLSTATE.test(code) || MESSAGES.test(error.message);
}
