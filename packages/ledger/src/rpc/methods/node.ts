import { SOLANA_VERSION, readCommitment, type RpcMethod, type RpcMethods } from '../context.js';
import { configParam, sizeParam, u64Param } from '../params.js';
import { MAX_SAMPLES } from '../performance.js';
import { invalidParams, RPC_CODES, RpcError } from '../rpcError.js';

/** The features that Agave 4.2.0 knows, by which clients tell what a node can do. */
export const FEATURE_SET = 565_236_538;
export const VERSION = { 'feature-set': FEATURE_SET, 'solana-core': SOLANA_VERSION } as const;
const MAX_ACCOUNT_BYTES = 10_485_760n;

const getMinimumBalanceForRentExemption: RpcMethod = (params, { bank }) => {
  const bytes = u64Param(params[0], 'dataLength');
  if (bytes > MAX_ACCOUNT_BYTES) throw new RpcError(RPC_CODES.invalidRequest, 'Invalid request');
  return bank.engine.rentExemptMinimum(bytes);
};

const getRecentPerformanceSamples: RpcMethod = (params, { performance }) => {
  const limit = params[0] === undefined ? MAX_SAMPLES : sizeParam(params[0], 'limit');
  if (limit > MAX_SAMPLES) throw invalidParams(`Invalid limit; max ${MAX_SAMPLES}`);
  return performance.latest(limit).map((sample) => ({ ...sample, numNonVoteTransactions: sample.numTransactions }));
};

export const nodeMethods: RpcMethods = {
  // The whole history is kept.
  getFirstAvailableBlock: () => 0,
  getGenesisHash: (_, { genesisHash }) => genesisHash,
  getHealth: () => 'ok',
  getIdentity: (_, { identity }) => ({ identity }),
  getMinimumBalanceForRentExemption,
  getRecentPerformanceSamples,
  getTransactionCount: (params, context) =>
    context.bank.transactionCount(readCommitment(configParam(params[0]), context)),
  getVersion: () => VERSION,
  minimumLedgerSlot: () => 0,
};
