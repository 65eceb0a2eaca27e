import { STATUS_CODES } from 'node:http';
import { BODY_LIMIT_BYTES, LegworkError, toProblem } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../faults.js';
import { RateLimitedError, secondsToRetry, tellAllowance } from './limits.js';

export const PROBLEM_JSON = 'application/problem+json; charset=utf-8';

/** The framework's own refusals, in this service's codes. */
function fromFramework(code: string, bodyLimit: number): LegworkError | undefined {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new LegworkError('unsupported_media_type', 'Send the body with content-type: application/json.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new LegworkError('body_too_large', `A body has at most ${bodyLimit} bytes here.`);
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new LegworkError(
        'malformed_body',
        'The body cannot be read as JSON, or uses a name such as "__proto__" that no operation takes.',
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new LegworkError('malformed_body', 'The body does not have the length that content-length says.');
    case 'FST_ERR_BAD_URL':
      return new LegworkError('invalid_input', 'The path holds a broken percent-encoding; encode it as UTF-8.');
    default:
      return undefined;
  }
}

/**
 * The error that a caller sees for anything thrown. One that was not meant for callers does not reveal its cause.
 *
 * @param bodyLimit largest body that the route takes, bytes
 */
export function toLegworkError(error: unknown, bodyLimit: number = BODY_LIMIT_BYTES): LegworkError {
  if (error instanceof LegworkError) return error;
  if (isDatabaseUnavailable(error)) return new LegworkError('not_ready', 'The database cannot be used now; try again.');
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = fromFramework(code, bodyLimit);
  if (known !== undefined) return known;
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return new LegworkError('invalid_input', 'The request cannot be read as HTTP.');
  return new LegworkError('internal_error', 'Something failed here; the log of the service knows more.');
}

type WantsPage = (request: FastifyRequest, reply: FastifyReply) => boolean;

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, wantsPage?: WantsPage): void {
  const shown = toLegworkError(error, request.routeOptions.bodyLimit);
  if (shown.code === 'internal_error') request.log.error({ err: error }, 'request failed');
  else if (shown.status >= 500) request.log.warn({ err: error }, 'request refused');
  if (shown instanceof RateLimitedError) tellAllowance(reply, shown.allowance);
  const retryAfter = secondsToRetry(shown);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  reply.code(shown.status);
  if (retryAfter !== undefined && wantsPage?.(request, reply)) return sendBusy(reply, shown, retryAfter);
  reply.header('content-type', PROBLEM_JSON).send(JSON.stringify(toProblem(shown)));
}

/** The page for a person who has to wait; it asks again by itself. Rule S-18. */
function sendBusy(reply: FastifyReply, { message }: LegworkError, seconds: number): void {
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('refresh', String(seconds))
    .header('cache-control', 'no-store')
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    .send(
      `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width" /><title>One moment · Legwork</title>
<h1>One moment</h1><p>${message.replaceAll('<', '&lt;')}</p><p>This page tries again by itself in ${seconds} s.</p></html>`,
    );
}

/** For an address that leads nowhere. */
export function nothingAt(request: FastifyRequest): LegworkError {
  return new LegworkError(
    'not_found',
    `There is nothing at ${request.url.split('?', 1)[0]}; /openapi.json lists what there is.`,
  );
}

/**
 * Sends every error of the application as a problem document, and a person whose page has to wait a page that does. Rules S-2 to S-7.
 *
 * @param wantsPage whether a person asked; an address that leads nowhere is then told of by the handler of what is not found
 */
export function answerProblems(app: FastifyInstance, wantsPage: WantsPage): void {
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, wantsPage));
  // Before the body is read: a request to no resource is not worth parsing.
  app.addHook('onRequest', async (request, reply) => {
    // A slash at the end would make the last parameter empty; no path ends that way.
    const endsInSlash = Object.values(request.params ?? {}).includes('');
    if (!request.is404 && !endsInSlash) return undefined;
    if (!wantsPage(request, reply)) throw nothingAt(request);
    return endsInSlash ? reply.callNotFound() : undefined;
  });
}

/** For errors found before a route is chosen, such as a broken percent-encoding. */
export const frameworkErrors = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
  sendProblem(error, request, reply);

/** A whole HTTP response with a problem document, for sockets without a reply object. */
export function rawProblem(error: LegworkError): string {
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
