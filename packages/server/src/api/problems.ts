import { STATUS_CODES } from 'node:http';
import { BODY_LIMIT_BYTES, RelayError, toProblem } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RateLimited } from './limits.js';
import { isDatabaseUnavailable } from './databaseErrors.js';
import { secondsToRetry, tellAllowance } from './requestLimits.js';

export const PROBLEM_JSON = 'application/problem+json; charset=utf-8';

/** The framework's own refusals, told in this service's codes. */
function fromFramework(code: string, bodyLimit: number): RelayError | undefined {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new RelayError('unsupported_media_type', 'Send the body with content-type: application/json.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new RelayError('body_too_large', `A body has at most ${bodyLimit} bytes here.`);
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new RelayError(
        'malformed_body',
        'The body cannot be read as JSON, or uses a name such as "__proto__" that no operation takes.',
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new RelayError('malformed_body', 'The body does not have the length that content-length says.');
    case 'FST_ERR_BAD_URL':
      return new RelayError('invalid_input', 'The path holds a broken percent-encoding; encode it as UTF-8.');
    default:
      return undefined;
  }
}

/**
 * The error that a caller sees for whatever was thrown. What was not meant for callers says nothing of its cause.
 *
 * @param bodyLimit what the route takes, in bytes
 */
export function toRelayError(error: unknown, bodyLimit: number = BODY_LIMIT_BYTES): RelayError {
  if (error instanceof RelayError) return error;
  if (isDatabaseUnavailable(error)) return new RelayError('not_ready', 'The database cannot be used now; try again.');
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = fromFramework(code, bodyLimit);
  if (known !== undefined) return known;
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return new RelayError('invalid_input', 'The request cannot be read as HTTP.');
  return new RelayError('internal_error', 'Something failed here; the log of the service knows more.');
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const shown = toRelayError(error, request.routeOptions.bodyLimit);
  if (shown.code === 'internal_error') request.log.error({ err: error }, 'request failed');
  else if (shown.status >= 500) request.log.warn({ err: error }, 'request refused');
  if (shown instanceof RateLimited) tellAllowance(reply, shown.allowance);
  const retryAfter = secondsToRetry(shown);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  reply
    .code(shown.status)
    .header('content-type', PROBLEM_JSON)
    .send(JSON.stringify(toProblem(shown)));
}

/** Every error of the application leaves as a problem document. Rules S-2 to S-7. */
export function answerProblems(app: FastifyInstance): void {
  app.setErrorHandler(sendProblem);
  const notFound = (request: FastifyRequest) =>
    new RelayError(
      'not_found',
      `There is nothing at ${request.url.split('?', 1)[0]}; /openapi.json lists what there is.`,
    );
  // Before the body is read: what is sent to no resource is not worth parsing.
  app.addHook('onRequest', async (request) => {
    // A slash at the end would be a parameter that is empty: no path ends so.
    const endsInSlash = Object.values(request.params ?? {}).includes('');
    if (request.is404 || endsInSlash) throw notFound(request);
  });
  app.setNotFoundHandler((request, reply) => sendProblem(notFound(request), request, reply));
}

/** For errors found before a route is chosen, such as a broken percent-encoding. */
export const frameworkErrors = sendProblem;

/** A whole HTTP answer with a problem document, for sockets that have no reply object. */
export function rawProblem(error: RelayError): string {
  const body = JSON.stringify(toProblem(error));
  const retryAfter = secondsToRetry(error);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter}`]),
    `content-type: ${PROBLEM_JSON}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
