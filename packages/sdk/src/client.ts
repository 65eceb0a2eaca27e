import { createNonce, operations, signRequest } from '@legwork/protocol/contract';
import type { AnswerOf, CallOf, Operation, OperationName } from '@legwork/protocol/contract';
import { decodeKnown } from './decodeKnown.js';
import { LegworkProtocolError } from './errors.js';
import { inItsTime, type ServiceClock } from './serviceClock.js';
import { send, toHttpRequest } from './transport.js';
import type { Fetch, HttpRequest, Transport } from './transport.js';
import { toRequestSigner } from './signer.js';
import type { CallSigner } from './signer.js';

type Contracts = typeof operations;

/** The options of one call, besides its input. */
export interface CallOptions {
  /** Ends the call; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Your name for a POST, 1 to 255 printable ASCII characters. Repeated within 24 hours under the same name with the same
   * input, it is answered as the first time and not done again.
   */
  readonly idempotencyKey?: string;
}

/** The result of a call: the operation's answer in code form; a list comes as a {@link Page}. */
export type ResultOf<O extends Operation> = AnswerOf<O> extends readonly (infer Item)[] ? Page<Item> : AnswerOf<O>;

type CallArguments<O extends Operation> =
  Partial<CallOf<O>> extends CallOf<O>
    ? [input?: unknown extends CallOf<O> ? Record<string, never> : CallOf<O>, options?: CallOptions]
    : [input: CallOf<O>, options?: CallOptions];

/** One method an operation of the service, by the operation's name. */
export type LegworkClient = {
  readonly [Name in OperationName]: (...args: CallArguments<Contracts[Name]>) => Promise<ResultOf<Contracts[Name]>>;
} & {
  /** The service's address, as given. */
  readonly url: string;
};

/** How to reach the service, and the caller. */
export interface LegworkClientOptions {
  /** Address of the service, for example `http://127.0.0.1:8080`; a path prefix is kept. */
  readonly url: string;
  /**
   * Signs the operations that must be signed, and those that may be, unless they name another agent. Not needed for the
   * open ones.
   */
  readonly signer?: CallSigner;
  /** A key that the operator of the service gave out, for the operations that ask for one. */
  readonly apiKey?: string;
  /** The admin key, for the operations that only the operator of the service may call. */
  readonly adminKey?: string;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
  /** Bound of one attempt in milliseconds; default 45,000. The service itself may wait 30 s for the ledger. */
  readonly timeoutMs?: number;
  /**
   * How long a call waits in all, in milliseconds, when the service says that it came too often (429); default 65,000, a little
   * more than the minute for which a service counts. 0: it does not wait.
   */
  readonly patienceMs?: number;
}

/**
 * A typed client of the service. Every method takes the operation's fields in their wire form in one object and gives
 * the answer in code form (bigint lamports, Dates). The methods are read from the contracts; nothing is listed twice.
 *
 * Each call may throw `LegworkApiError` (refused), `LegworkNetworkError` (no answer), or `LegworkProtocolError` (an answer of
 * another form).
 *
 * @throws {TypeError} when the address is not an http or https URL
 */
export function createLegworkClient(options: LegworkClientOptions): LegworkClient {
  const base = parseServiceUrl(options.url);
  const transport: Transport = {
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs: options.timeoutMs ?? 45_000,
    patienceMs: options.patienceMs ?? 65_000,
  };
  const { signer, apiKey, adminKey } = options;
  const caller: Caller = { clock: { aheadMs: 0 }, base, transport, signer, apiKey, adminKey };
  const client: { url: string } & Record<string, unknown> = { url: options.url };
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    client[name] = (input: Readonly<Record<string, unknown>> = {}, call: CallOptions = {}) =>
      callOperation(operation, caller, input, call);
  }
  if (!hasEveryOperation(client)) throw new TypeError('an operation has no method');
  CALLERS.set(client, caller);
  return client;
}

/** The loop above made the methods: the type is computed from the same contracts. */
function hasEveryOperation(client: { url: string } & Record<string, unknown>): client is LegworkClient & typeof client {
  return Object.keys(operations).every((name) => typeof client[name] === 'function');
}

/** Reads the address of a service. @throws {TypeError} when it is not an http or https URL */
export function parseServiceUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`"${url}" is not the address of a service; give one such as http://127.0.0.1:8080`);
  }
  return parsed;
}

/** The caller behind each client: files travel beside the operations that speak JSON. */
const CALLERS = new WeakMap<LegworkClient, Caller>();

/** @throws {TypeError} for a client of another making */
export function callerOf(client: LegworkClient): Caller {
  const caller = CALLERS.get(client);
  if (caller === undefined) throw new TypeError('files need a client that createLegworkClient made');
  return caller;
}

interface Caller {
  readonly clock: ServiceClock;
  readonly base: URL;
  readonly transport: Transport;
  readonly signer: CallSigner | undefined;
  readonly apiKey: string | undefined;
  readonly adminKey: string | undefined;
}

async function callOperation(
  operation: Operation,
  { clock, base, transport, signer, apiKey, adminKey }: Caller,
  input: Readonly<Record<string, unknown>>,
  { signal, idempotencyKey }: CallOptions,
): Promise<unknown> {
  if (operation.auth === 'signed' && signer === undefined) {
    throw new TypeError(`${operation.name} must be signed: give createLegworkClient a signer`);
  }
  const request = toHttpRequest(operation, base, input);
  const headers = async () => ({
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(operation.auth === 'key' && apiKey !== undefined && { 'x-api-key': apiKey }),
    ...(operation.auth === 'admin' && adminKey !== undefined && { 'x-admin-key': adminKey }),
    ...(signer !== undefined && signs(signer, operation, input) && (await signatureOf(request, signer, clock))),
  });
  const answer = await inItsTime(clock, () => send(transport, request, headers, signal));
  const decoded = decodeKnown(operation.answer, answer.json);
  if (!decoded.success) {
    throw new LegworkProtocolError(`${operation.name} answered in another form than this SDK knows`, {
      cause: decoded.error,
    });
  }
  if (!Array.isArray(decoded.data)) return decoded.data;
  return { items: decoded.data, nextCursor: nextCursorOf(answer.headers.get('link')) };
}

/** An agent speaks for itself only: what may be unsigned goes unsigned in the name of another. */
function signs(signer: CallSigner, { auth }: Operation, input: Readonly<Record<string, unknown>>): boolean {
  if (auth === 'open' || auth === 'admin') return false;
  return auth === 'signed' || input['agentPubkey'] === undefined || input['agentPubkey'] === signer.address;
}

/** The headers that sign a request. */
export function signatureOf({ method, url, body }: HttpRequest, signer: CallSigner, { aheadMs }: ServiceClock) {
  const parts = { method, host: url.host, path: url.pathname + url.search, ...(body !== undefined && { body }) };
  return signRequest(toRequestSigner(signer), parts, createNonce(Date.now() + aheadMs));
}

/** The service's description of itself: program, ledger, coordinator, limits. */
export type ServiceConfig = AnswerOf<(typeof operations)['getConfig']>;

const known = new WeakMap<LegworkClient, Promise<ServiceConfig>>();

/** The service's configuration, read once a client: it does not change while the service runs. */
export function serviceConfig(client: LegworkClient): Promise<ServiceConfig> {
  const asked = known.get(client);
  if (asked !== undefined) return asked;
  const answer = client.getConfig();
  known.set(client, answer);
  // A failure is not remembered.
  answer.catch(() => known.delete(client));
  return answer;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Give it as `cursor` to get the next page; undefined: this was the last one. */
  readonly nextCursor: string | undefined;
}

const LINK = /<([^>]*)>\s*((?:;\s*[^,;]+)*)/g;

/** The cursor of the `rel="next"` link of a Link header (RFC 8288), or undefined when there is none. */
export function nextCursorOf(linkHeader: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (linkHeader ?? '').matchAll(LINK)) {
    if (/;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?"?(?:;|\s|$)/i.test(parameters)) {
      // The link may be relative; only its query matters.
      return new URL(target, 'http://localhost').searchParams.get('cursor') ?? undefined;
    }
  }
  return undefined;
}

/**
 * Walks a list page by page: `for await (const item of everyItem(client.listPackages, { status: 'listed' }))`.
 *
 * @param list a paged call of the client
 * @param input its input; a `cursor` in it is where the walk begins
 */
export async function* everyItem<Item, Input extends { cursor?: string | undefined } | undefined>(
  list: (input: Input) => Promise<Page<Item>>,
  // The list alone decides what it takes: methods of a client allow the input to be left out.
  input: NoInfer<NonNullable<Input>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor = input.cursor;
  do {
    const page: Page<Item> = await list(cursor === undefined ? input : { ...input, cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
