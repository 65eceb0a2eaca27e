import { LegworkError } from '@legwork/protocol/contract';
import type { FastifyRequest } from 'fastify';
import { readJsonText } from '../api/rawBody.js';
import { A2A_VERSION } from './agentCard.js';
import { A2aError, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, type RpcError, rpcErrorOf } from './errors.js';
import { METHODS } from './methods.js';

export type RpcId = string | number | null;

/** A failure with the id of the request that it answers. */
export const failure = (id: RpcId, error: RpcError) => ({ jsonrpc: '2.0', id, error });

/** A call of a method that there is. */
export interface RpcCall {
  id: RpcId;
  name: string;
  method: (typeof METHODS)[string];
  params: unknown;
}

const NOT_JSON = new A2aError('CONTENT_TYPE_NOT_SUPPORTED', 'Send the body with content-type: application/json.');

/** The call that a body is, or what is wrong with it. */
export function readCall({
  headers,
  rawBody = Buffer.alloc(0),
}: FastifyRequest): RpcCall | { id: RpcId; error: RpcError } {
  let body: unknown;
  try {
    if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) throw NOT_JSON;
    body = JSON.parse(readJsonText(rawBody));
  } catch (error) {
    if (error instanceof A2aError) return { id: null, error: rpcErrorOf(error) };
    const message = error instanceof LegworkError ? error.message : 'The body is not JSON.';
    return { id: null, error: { code: PARSE_ERROR, message } };
  }
  const {
    jsonrpc,
    id = null,
    method,
    params,
  } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const known = typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || known === undefined)
    return {
      id: known ?? null,
      error: {
        code: INVALID_REQUEST,
        message: 'Send one JSON-RPC 2.0 request: jsonrpc "2.0", an id, a method and its params.',
      },
    };
  const found = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (found === undefined)
    return {
      id: known,
      error: {
        code: METHOD_NOT_FOUND,
        message: `There is no such method; there is ${Object.keys(METHODS).join(', ')}.`,
      },
    };
  return { id: known, name: method, method: found, params };
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
