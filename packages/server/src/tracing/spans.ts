/*
 * Spans tell an operator what a call led to and how long each step took: here, in other replicas, and at the ledger's node.
 *
 * - What is under way is known to whatever it calls (AsyncLocalStorage), so that a step names only itself: {@link step} makes a span below
 *   it, and none where nothing is traced. Polling is traced by nobody.
 * - A trace goes on by its `traceparent`: from a client, with a row to whoever works on it next, in a header to those who are asked.
 * - Without a collector nothing is made and nothing is loaded (tracing/export is imported when one is configured).
 *
 * Invariants: a span has the attributes of {@link Attributes} alone, and none of them holds what somebody wrote, a key or a secret.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { LegworkError } from '@legwork/protocol/contract';

/** All that a span may say; docs/operators/tracing.md has what each means. Rule S-272. */
export interface Attributes {
  'db.system.name'?: 'postgresql';
  'error.type'?: string;
  'http.request.method'?: string;
  'http.response.status_code'?: number;
  'http.route'?: string;
  'legwork.evaluation'?: string;
  'legwork.intent.attempts'?: number;
  'legwork.intent.id'?: string;
  'legwork.intent.kind'?: string;
  'legwork.signature'?: string;
  'legwork.subject'?: string;
  'legwork.tool'?: string;
  'legwork.transaction.tries'?: number;
  'rpc.method'?: string;
  'rpc.system.name'?: 'jsonrpc';
}

/** As W3C Trace Context has it, from a stranger or from a row: what is malformed counts as not there. */
export interface Carrier {
  traceparent?: string | undefined;
  /** Goes to the collector, and no further. */
  tracestate?: string | undefined;
}

/** How a span begins. */
export interface Start {
  name: string;
  /** The trace it continues; without it, or with one that is malformed, it begins a trace. */
  from?: Carrier | undefined;
  /** `server`: somebody waits for it; `client`: it waits for somebody else; `consumer`: it was left to be done. */
  kind?: 'server' | 'client' | 'consumer';
  attributes?: Attributes;
}

/** A span under way. */
export interface Span {
  /** Names it to those who are asked. */
  readonly traceparent: string;
  set: (attributes: Attributes) => void;
  /** @param isFault whether it is no fault of the one who asked */
  fail: (type: string, isFault: boolean) => void;
  end: () => void;
}

/** Where the spans of one service go. */
export interface Tracing {
  /** @param above the span that this one is a step of */
  begin: (start: Start, above?: Span) => Span;
  /** Sends what waits, for a moment. */
  close: () => Promise<void>;
}

const underWay = new AsyncLocalStorage<{ tracing: Tracing; span: Span }>();

/** Does the work in a span of its own trace, or of the one that it goes on. @param tracing undefined: nothing is traced */
export function trace<T>(tracing: Tracing | undefined, start: Start, work: () => Promise<T>): Promise<T> {
  return tracing === undefined ? work() : inSpan(tracing, tracing.begin(start), work);
}

/** Does the work in a span below the one under way; where none is, it makes none. */
export function step<T>(start: Start, work: () => Promise<T>): Promise<T> {
  const above = underWay.getStore();
  return above === undefined ? work() : inSpan(above.tracing, above.tracing.begin(start, above.span), work);
}

async function inSpan<T>(tracing: Tracing, span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await underWay.run({ tracing, span }, work);
  } catch (error) {
    span.fail(typeOf(error), !(error instanceof LegworkError) || error.status >= 500);
    throw error;
  } finally {
    span.end();
  }
}

/** The code of an error, or the name of its class: its message may quote what somebody wrote. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Adds to what the span under way says, if one is. */
export function note(attributes: Attributes): void {
  underWay.getStore()?.span.set(attributes);
}

/** Notes why what the span under way tells of came to nothing. @param isFault whether that is no fault of the one who asked */
export function noteFailed(type: string, isFault: boolean): void {
  underWay.getStore()?.span.fail(type, isFault);
}

/** Names the span under way to whoever goes on with what is written now; undefined: nothing is traced. */
export function traceparent(): string | undefined {
  return underWay.getStore()?.span.traceparent;
}

/** The column of a row that names it. */
export function tracedRow(): { trace?: string } {
  const trace = traceparent();
  return trace === undefined ? {} : { trace };
}

/** The header that names it to whoever is asked. */
export function tracedHeader(): { traceparent?: string } {
  const parent = traceparent();
  return parent === undefined ? {} : { traceparent: parent };
}

/** The sender's trace in headers, or in the `_meta` of a message; undefined: none. */
export function carrierIn(from: Readonly<Record<string, unknown>> | undefined): Carrier | undefined {
  const { traceparent: parent, tracestate: state } = from ?? {};
  if (typeof parent !== 'string') return undefined;
  return { traceparent: parent, ...(typeof state === 'string' && { tracestate: state }) };
}
