import { decodeRequest, encodeJson, Float } from '../json.js';
import { RPC_CODES, RpcError } from './rpcError.js';

/** Parameters as they come: a list, named ones, or none. */
export type GivenParams = readonly unknown[] | object | undefined;

/** Runs one call. @throws RpcError */
export type RunCall = (method: string, params: GivenParams) => unknown;

type Call = {
  /** Undefined in a notification. */
  readonly id: unknown;
  readonly method: string;
  readonly params: GivenParams;
};

const PARSE_ERROR = new RpcError(RPC_CODES.parseError, 'Parse error');
const INVALID_REQUEST = new RpcError(RPC_CODES.invalidRequest, 'Invalid request');
const UNSUPPORTED_VERSION = new RpcError(RPC_CODES.invalidRequest, 'Unsupported JSON-RPC protocol version');

/**
 * The answer to one JSON-RPC document, a single request or a batch, the same over HTTP and WebSocket; empty when
 * nothing in it wants an answer. Rule L-60.
 */
export async function answerDocument(text: string, run: RunCall): Promise<string> {
  let decoded: ReturnType<typeof decodeRequest>;
  try {
    decoded = decodeRequest(text);
  } catch {
    return errorText(null, PARSE_ERROR);
  }
  const { document, fields } = decoded;
  if (!Array.isArray(document)) return answerCall(document, checkCall(document, fields[0]), run);
  const checked = document.map((request, index) => checkCall(request, fields[index]));
  if (checked.includes(PARSE_ERROR)) return errorText(null, PARSE_ERROR);
  const answers = await Promise.all(checked.map(async (one, index) => answerCall(document[index], one, run)));
  const wanted = answers.filter((answer) => answer !== '');
  return wanted.length === 0 ? '' : `[${wanted.join(',')}]`;
}

async function answerCall(request: unknown, checked: Call | RpcError, run: RunCall): Promise<string> {
  if (checked instanceof RpcError) return errorText(idOf(request), checked);
  const { id, method, params } = checked;
  // A notification runs nothing: no method is meant for one.
  if (id === undefined) return '';
  try {
    const result = await run(method, params);
    return `{"jsonrpc":"2.0","result":${encodeJson(result)},"id":${encodeJson(id)}}`;
  } catch (error) {
    if (error instanceof RpcError) return errorText(id, error);
    throw error;
  }
}

const ENVELOPE = new Set(['jsonrpc', 'method', 'params', 'id']);

/** Reads a request's envelope. A body that is no object, or has an id of another type, counts as no JSON at all. */
function checkCall(request: unknown, fields: number | undefined): Call | RpcError {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return PARSE_ERROR;
  const { id, jsonrpc, method, params } = request as Readonly<Record<string, unknown>>;
  if (id !== undefined && !isId(id)) return PARSE_ERROR;
  if (jsonrpc !== '2.0' && jsonrpc !== undefined && jsonrpc !== null) return INVALID_REQUEST;
  if (typeof method !== 'string' || !isParams(params)) return INVALID_REQUEST;
  const names = Object.keys(request);
  // Fewer than were written: one was there twice.
  if (names.length !== fields || !names.every((name) => ENVELOPE.has(name))) return INVALID_REQUEST;
  if (jsonrpc !== '2.0' && id !== undefined) return UNSUPPORTED_VERSION;
  return { id, method, params: params ?? undefined };
}

function isParams(params: unknown): params is GivenParams | null {
  return params === undefined || (typeof params === 'object' && !(params instanceof Float));
}

function isId(id: unknown): boolean {
  return id === null || typeof id === 'string' || ((typeof id === 'number' || typeof id === 'bigint') && id >= 0);
}

function idOf(request: unknown): unknown {
  const id = typeof request === 'object' && request !== null ? (request as { readonly id?: unknown }).id : null;
  return isId(id) ? id : null;
}

function errorText(id: unknown, error: RpcError): string {
  const { code, message, data } = error;
  // To a client that names no version, the answer names none either.
  const jsonrpc = error === UNSUPPORTED_VERSION ? undefined : '2.0';
  return encodeJson({ jsonrpc, error: { code, message, data }, id });
}
