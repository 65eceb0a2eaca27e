import { LegworkError } from '@legwork/protocol/contract';
import type { FastifyRequest } from 'fastify';
import { readJsonText } from '../api/rawBody.js';
import { A2A_VERSION } from './agentCard.js';
import { A2aError, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, type RpcError, rpcErrorOf } from './errors.js';
import { METHODS } from './methods.js';

type RpcId = string | number | null;

/** A failure as it is answered, with the status of HTTP. */
export interface Failure {
  status: number;
  body: object;
}

/** With the id of the request that it answers. */
const failure = (id: RpcId, error: RpcError): Failure => ({ status: 200, body: { jsonrpc: '2.0', id, error } });

/** How a binding writes what a method answers. */
export interface Wire {
  result: (result: unknown) => unknown;
  failure: (error: unknown) => Failure;
}

/** A call of a method that there is. */
export interface Call {
  name: string;
  method: (typeof METHODS)[string];
  params: unknown;
  wire: Wire;
}

/** A request that is none, with the answer to it. */
export interface NoCall {
  failure: Failure;
}

const NOT_JSON = new A2aError('CONTENT_TYPE_NOT_SUPPORTED', 'Send the body with content-type: application/json.');

/** The body of a request. @throws A2aError `CONTENT_TYPE_NOT_SUPPORTED`; LegworkError `malformed_body`, `invalid_input` */
export function bodyIn({ headers, rawBody = Buffer.alloc(0) }: FastifyRequest, types: RegExp): unknown {
  if (!types.test(headers['content-type'] ?? '')) throw NOT_JSON;
  const text = readJsonText(rawBody);
  try {
    return JSON.parse(text);
  } catch {
    throw new LegworkError('malformed_body', 'The body is not JSON.');
  }
}

/** The call of JSON-RPC that a body is, or what is wrong with it. */
export function readRpcCall(request: FastifyRequest): Call | NoCall {
  const refused = (id: RpcId, error: RpcError) => ({ failure: failure(id, error) });
  let body: unknown;
  try {
    body = bodyIn(request, /^application\/json\s*(;|$)/i);
  } catch (error) {
    if (error instanceof A2aError) return refused(null, rpcErrorOf(error));
    return refused(null, { code: PARSE_ERROR, message: error instanceof Error ? error.message : '' });
  }
  const given = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const { jsonrpc, id = null, method, params } = given;
  const known = typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || known === undefined) {
    const message = 'Send one JSON-RPC 2.0 request: jsonrpc "2.0", an id, a method and its params.';
    return refused(known ?? null, { code: INVALID_REQUEST, message });
  }
  const found = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (found === undefined) {
    const message = `There is no such method; there is ${Object.keys(METHODS).join(', ')}.`;
    return refused(known, { code: METHOD_NOT_FOUND, message });
  }
  const wire: Wire = {
    result: (result) => ({ jsonrpc: '2.0', id: known, result }),
    failure: (error) => failure(known, rpcErrorOf(error)),
  };
  return { name: method, method: found, params, wire };
}

/** A request without a version is one of 0.3. @throws A2aError `VERSION_NOT_SUPPORTED` */
export function requireVersion({ headers, query }: FastifyRequest): void {
  const asked = headers['a2a-version'] ?? (query as Record<string, unknown>)['A2A-Version'];
  if (typeof asked === 'string' && new RegExp(`^${A2A_VERSION.replace('.', '\\.')}(\\.\\d+)?$`).test(asked.trim()))
    return;
  const sent =
    typeof asked === 'string' && asked !== '' ? 'Another version was asked for' : 'Without a version 0.3 is meant';
  throw new A2aError(
    'VERSION_NOT_SUPPORTED',
    `${sent}; ${A2A_VERSION} is spoken here: send the header A2A-Version: ${A2A_VERSION}.`,
  );
}
