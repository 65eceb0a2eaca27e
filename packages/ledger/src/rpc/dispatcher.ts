import type { RpcContext, RpcMethod } from './context.js';
import { answerDocument, type GivenParams } from './document.js';
import { testingMethods } from './methods/testing.js';
import { METHOD_PARAMS } from './paramLists.js';
import { readParams } from './params.js';
import { invalidParams, methodNotFound, RPC_CODES, RpcError } from './rpcError.js';

/** Methods that change the ledger without a signature. Any page that somebody opens could call them on their machine. Rule L-85. */
const OUTSIDE_TRANSACTIONS: ReadonlySet<string> = new Set(['requestAirdrop', ...Object.keys(testingMethods)]);

function foreignPage(method: string, page: string): RpcError {
  return new RpcError(
    RPC_CODES.invalidRequest,
    `${method} changes the ledger without a signature, and ${page} is no page of this machine: call it from localhost, or from a program`,
  );
}

/** Answers JSON-RPC documents with the ledger's methods. Rule L-23. */
export class Dispatcher {
  readonly #methods: ReadonlyMap<string, RpcMethod>;
  readonly #context: RpcContext;
  readonly #log: (line: string) => void;

  constructor(methods: ReadonlyMap<string, RpcMethod>, context: RpcContext, log: (line: string) => void) {
    this.#methods = methods;
    this.#context = context;
    this.#log = log;
  }

  /**
   * The answer to one document, a single request or a batch; empty for notifications.
   *
   * @param page the origin of a web page that is not of this machine and sent it; undefined: no such page did
   */
  async answer(text: string, page?: string): Promise<string> {
    return answerDocument(text, async (method, params) => {
      try {
        if (page !== undefined && OUTSIDE_TRANSACTIONS.has(method)) throw foreignPage(method, page);
        return await this.#run(method, params);
      } catch (error) {
        throw this.#asRpcError(method, error);
      }
    });
  }

  async #run(name: string, params: GivenParams): Promise<unknown> {
    const method = this.#methods.get(name);
    if (method === undefined) throw methodNotFound();
    const list = METHOD_PARAMS[name];
    const read = list === undefined ? requireList(params) : readParams(list, params);
    this.#context.bank.tick();
    const result = await method(read, this.#context);
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

/** Of methods that are not Agave's. */
function requireList(params: GivenParams = []): readonly unknown[] {
  if (!Array.isArray(params)) throw invalidParams('`params` should be an array');
  return params;
}
