import { toBase58 } from '../../bank/keys.js';
import { describeTransactionError } from '../../bank/transactionError.js';
import { returnDataOf } from '../../bank/transactionMeta.js';
import type { Refusal } from '../../bank/run.js';
import { parseTransaction, signatureOf } from '../../bank/wire.js';
import { requireMinContextSlot, type RpcMethod, type RpcMethods } from '../context.js';
import { booleanParam, commitmentParam, configParam, wireEncodingParam, wireParam } from '../params.js';
import { RPC_CODES, RpcError } from '../rpcError.js';

const sendTransaction: RpcMethod = async (params, context) => {
  const config = configParam(params[1]);
  const encoding = wireEncodingParam(config);
  const preflight = !booleanParam(config['skipPreflight'], 'skipPreflight');
  const commitment = commitmentParam(config, 'preflightCommitment');
  const transaction = wireParam(params[0], 'transaction', encoding, parseTransaction);
  requireMinContextSlot(config, preflight ? commitment : 'processed', context);
  const refusal = await context.bank.submit(transaction, preflight ? commitment : undefined);
  // Without preflight a cluster accepts anything and drops what cannot land; the status shows the sender which.
  if (refusal !== undefined && preflight) throw preflightFailure(refusal);
  return toBase58(signatureOf(transaction));
};

function preflightFailure(refusal: Refusal): RpcError {
  const { err, logs, unitsConsumed, fee, loadedSize } = refusal;
  const reason = err === null ? 'unknown' : describeTransactionError(err);
  return new RpcError(RPC_CODES.preflightFailure, `Transaction simulation failed: ${reason}`, {
    accounts: null,
    err,
    fee,
    innerInstructions: null,
    loadedAccountsDataSize: loadedSize,
    loadedAddresses: null,
    logs,
    postBalances: null,
    postTokenBalances: null,
    preBalances: null,
    preTokenBalances: null,
    replacementBlockhash: null,
    returnData: returnDataOf(refusal),
    unitsConsumed,
  });
}

export const sendTransactionMethods: RpcMethods = { sendTransaction };
