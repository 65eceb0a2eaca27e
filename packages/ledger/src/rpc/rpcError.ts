/** The JSON-RPC error codes of Solana's nodes. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  preflightFailure: -32002,
  blockNotAvailable: -32004,
  noSnapshot: -32008,
  unsupportedTransactionVersion: -32015,
  minContextSlotNotReached: -32016,
  transactionNotFound: -32020,
} as const;

/** An error answer: what is wrong, and what would be right. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message, data);
}

export function methodNotFound(): RpcError {
  return new RpcError(RPC_CODES.methodNotFound, 'Method not found');
}
