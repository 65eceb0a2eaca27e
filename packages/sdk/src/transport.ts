import type { Operation } from '@legwork/protocol/contract';
import { readProblem, LegworkApiError, LegworkNetworkError, LegworkProtocolError } from './errors.js';
import { pause } from './pause.js';

/** The part of `fetch` that the SDK uses. */
export type Fetch = (input: URL, init: RequestInit) => Promise<Response>;

/** How requests travel. */
export interface Transport {
  readonly fetch: Fetch;
  /** Bound of one attempt, milliseconds. */
  readonly timeoutMs: number;
  /** Bound of the waits that 429 asks for, in all, milliseconds. */
  readonly patienceMs: number;
}

/** An answer of success. */
export interface HttpAnswer {
  readonly json: unknown;
  readonly headers: Headers;
}

/** Attempts of a GET or a PUT in all. Other methods are sent once: whether to repeat them is the caller's to know. */
const ATTEMPTS = 3;
const REPEATED: ReadonlySet<string> = new Set(['GET', 'PUT']);
const RETRY_PAUSE_MS = 200;
const RETRIED_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Sends a request and reads its JSON answer. GETs and PUTs are tried three times when no answer comes or a 502, 503 or 504 does. A
 * 429 is waited out and the request sent again, whatever its method, because nothing was done.
 *
 * @param headers made again for each attempt, because a signature serves once
 * @throws {LegworkApiError} when the service refuses
 * @throws {LegworkNetworkError} when no answer comes in time
 * @throws {LegworkProtocolError} when the answer is not JSON
 */
export async function send(
  transport: Transport,
  request: HttpRequest,
  headers: () => Promise<Record<string, string>>,
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  const attempts = REPEATED.has(request.method) ? ATTEMPTS : 1;
  let { patienceMs } = transport;
  for (let attempt = 1; ; ) {
    try {
      return await sendOnce(transport, request, await headers(), signal);
    } catch (error) {
      const waitMs = waitAsked(error);
      if (waitMs !== undefined && waitMs <= patienceMs) {
        patienceMs -= waitMs;
        await pause(waitMs, signal);
        continue;
      }
      if (attempt === attempts || !isTransient(error)) throw error;
      await pause(RETRY_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()), signal);
      attempt += 1;
    }
  }
}

/** How long a service that was asked too often wants to be left alone, milliseconds. */
function waitAsked(error: unknown): number | undefined {
  if (!(error instanceof LegworkApiError) || error.status !== 429 || error.retryAfterSec === undefined)
    return undefined;
  return Math.max(error.retryAfterSec * 1000, RETRY_PAUSE_MS);
}

/** Reports whether the same request may succeed a little later. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof LegworkNetworkError || (error instanceof LegworkApiError && RETRIED_STATUSES.has(error.status))
  );
}

async function sendOnce(
  { fetch, timeoutMs }: Transport,
  request: HttpRequest,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(request.url, {
      method: request.method,
      headers: { accept: 'application/json, application/problem+json', ...headers },
      // A redirect would change what was signed.
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(request.body !== undefined && { body: request.body }),
    });
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    const why = timeout.aborted ? `no answer within ${timeoutMs} ms` : unreachable(request.url, error);
    throw new LegworkNetworkError(`${request.method} ${request.url.href}: ${why}`, { cause: error });
  }
  if (!response.ok) throw toApiError(response, text);
  return { json: parseJson(text, request), headers: response.headers };
}

const NOBODY_THERE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Why nothing was reached, and what to check where the reason tells. Rule S-166. */
export function unreachable(url: URL, error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ECONNREFUSED') return `nothing listens at ${url.host}; check that it runs, and its port (${code})`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `the name ${url.hostname} is not found; check the address and your network (${code})`;
  }
  if (code.startsWith('ERR_SSL_')) {
    return `${url.host} does not speak https as expected; check whether its address starts with http:// (${code})`;
  }
  return reasonOf(error);
}

/** True if nothing can have been sent: there was nobody to connect to. Browsers do not tell that. */
export function neverLeft(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && NOBODY_THERE.has(String(error.code))) || neverLeft(error.cause);
}

/** Node's fetch says only "fetch failed"; the reason is its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error.cause instanceof Error)) return error.message;
  return error.cause.message || ('code' in error.cause && String(error.cause.code)) || error.message;
}

function parseJson(text: string, request: HttpRequest): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LegworkProtocolError(
      `${request.method} ${request.url.href} answered something that is not JSON; check that a Legwork service is at ${request.url.host}`,
      {
        cause,
      },
    );
  }
}

/** The refusal in an answer. */
export function toApiError({ status, headers }: Response, text: string): LegworkApiError {
  // A date in its place is not understood: clocks differ.
  const asked = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0];
  const retryAfterSec = asked === undefined ? undefined : Number(asked);
  const answeredAt = Date.parse(headers.get('date') ?? '');
  const answeredAtMs = Number.isNaN(answeredAt) ? undefined : answeredAt;
  const read = readProblem(text);
  if (read !== undefined) {
    return new LegworkApiError(read.code, status, read.detail, { ...read.told, retryAfterSec, answeredAtMs });
  }
  const shown = text.slice(0, 200) || 'an answer without a body';
  return new LegworkApiError('unreadable_problem', status, shown, { retryAfterSec });
}

/** A call in the form HTTP takes it. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** JSON text, or the bytes of a part of a file; undefined: no body. */
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Spreads the fields of a call over path, query and body as the operation's contract says. A field the contract does not
 * know travels with the body (or the query), so that the service names it in its refusal.
 *
 * @param base the service's address; a path prefix in it is kept
 * @throws {TypeError} when a path parameter is missing
 */
export function toHttpRequest(operation: Operation, base: URL, input: Readonly<Record<string, unknown>>): HttpRequest {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name);
    if (typeof value !== 'string' || value === '') throw new TypeError(`${operation.name} needs ${name}`);
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const url = new URL(base.pathname.replace(/\/$/, '') + path, base);
  const inBody = (name: string) => operation.body !== undefined && !Object.hasOwn(operation.query?.shape ?? {}, name);
  for (const [name, value] of rest) {
    if (!inBody(name)) url.searchParams.set(name, String(value));
  }
  const body = Object.fromEntries([...rest].filter(([name]) => inBody(name)));
  return {
    method: operation.method,
    url,
    body: operation.body === undefined ? undefined : JSON.stringify(body),
  };
}
