import { SOLANA_VERSION, type RpcMethod, type RpcMethods } from '../context.js';
import { requireParams, u64Param } from '../params.js';
import { invalidParams } from '../rpcError.js';

const FEATURE_SET = 0;
const MAX_ACCOUNT_BYTES = 10_485_760n;

const getMinimumBalanceForRentExemption: RpcMethod = (params, { bank }) => {
  requireParams(params, 1);
  const bytes = u64Param(params[0], 'dataLength');
  if (bytes > MAX_ACCOUNT_BYTES) {
    throw invalidParams(`Invalid params: dataLength is ${bytes}, expected at most ${MAX_ACCOUNT_BYTES}.`);
  }
  return bank.engine.rentExemptMinimum(bytes);
};

export const nodeMethods: RpcMethods = {
  // The whole history is kept.
  getFirstAvailableBlock: () => 0,
  getGenesisHash: (_, { genesisHash }) => genesisHash,
  getHealth: async (_, { bank }) => {
    await bank.durable();
    return 'ok';
  },
  getIdentity: (_, { identity }) => ({ identity }),
  getMinimumBalanceForRentExemption,
  getTransactionCount: (_, { bank }) => bank.transactionCount,
  getVersion: () => ({ 'feature-set': FEATURE_SET, 'solana-core': SOLANA_VERSION }),
  minimumLedgerSlot: () => 0,
};
