import { decodeJson, encodeJson } from '../json.js';
import type { RpcContext, RpcMethod } from './context.js';
import { RPC_CODES, RpcError } from './rpcError.js';

const MAX_BATCH = 1000;

/** Answers JSON-RPC documents. Rule L-23. */
export class Dispatcher {
  readonly #methods: ReadonlyMap<string, RpcMethod>;
  readonly #context: RpcContext;
  readonly #log: (line: string) => void;

  constructor(methods: ReadonlyMap<string, RpcMethod>, context: RpcContext, log: (line: string) => void) {
    this.#methods = methods;
    this.#context = context;
    this.#log = log;
  }

  /** The answer to one document, a single request or a batch; empty for notifications. */
  async answer(text: string): Promise<string> {
    let request: unknown;
    try {
      request = decodeJson(text);
    } catch {
      return errorText(null, new RpcError(RPC_CODES.parseError, 'Parse error'));
    }
    if (!Array.isArray(request)) return this.#answerOne(request);
    if (request.length === 0 || request.length > MAX_BATCH) {
      const why = request.length === 0 ? 'the batch is empty' : `the batch has ${request.length} requests`;
      return errorText(
        null,
        new RpcError(RPC_CODES.invalidRequest, `Invalid request: ${why}, expected 1 to ${MAX_BATCH}`),
      );
    }
    const answers = await Promise.all(request.map(async (one) => this.#answerOne(one)));
    const wanted = answers.filter((answer) => answer !== '');
    return wanted.length === 0 ? '' : `[${wanted.join(',')}]`;
  }

  async #answerOne(request: unknown): Promise<string> {
    const checked = checkRequest(request);
    if (checked instanceof RpcError) return errorText(idOf(request), checked);
    const { id, method, params } = checked;
    try {
      const result = await this.#run(method, params);
      return id === undefined ? '' : `{"jsonrpc":"2.0","result":${encodeJson(result)},"id":${encodeJson(id)}}`;
    } catch (error) {
      return id === undefined ? '' : errorText(id, this.#asRpcError(method, error));
    }
  }

  async #run(name: string, params: readonly unknown[]): Promise<unknown> {
    const method = this.#methods.get(name);
    if (method === undefined) throw new RpcError(RPC_CODES.methodNotFound, 'Method not found');
    this.#context.bank.tick();
    const result = await method(params, this.#context);
    // Neither readers nor senders may learn of a state that a crash could still undo.
    await this.#context.bank.durable();
    return result;
  }

  #asRpcError(method: string, error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    this.#log(`${method} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return new RpcError(
      RPC_CODES.internalError,
      `Internal error: ${error instanceof Error ? error.message : 'unknown'}`,
    );
  }
}

export type RpcRequest = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

/** Reads a request's envelope, the same over HTTP and WebSocket. */
export function checkRequest(request: unknown): RpcRequest | RpcError {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return new RpcError(RPC_CODES.invalidRequest, 'Invalid request: expected a JSON-RPC request object');
  }
  const { id, jsonrpc, method, params } = request as Readonly<Record<string, unknown>>;
  if (jsonrpc !== '2.0') return new RpcError(RPC_CODES.invalidRequest, 'Unsupported JSON-RPC protocol version');
  if (typeof method !== 'string')
    return new RpcError(RPC_CODES.invalidRequest, 'Invalid request: `method` is not a string');
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    return new RpcError(RPC_CODES.invalidParams, 'Invalid params: `params` is not an array');
  }
  return { id, method, params: (params as readonly unknown[] | undefined | null) ?? [] };
}

export function idOf(request: unknown): unknown {
  const id = typeof request === 'object' && request !== null ? (request as { readonly id?: unknown }).id : null;
  return id ?? null;
}

export function errorText(id: unknown, error: RpcError): string {
  const { code, message, data } = error;
  return encodeJson({ jsonrpc: '2.0', error: { code, message, data }, id });
}
