import { SOLANA_VERSION, type RpcContext, type RpcMethod, type RpcMethods } from '../context.js';
import { arrayParam, booleanParam, configParam, signatureParam } from '../params.js';

const MAX_SIGNATURES = 256;

const getSignatureStatuses: RpcMethod = async (params, context) => {
  const signatures = arrayParam(params[0], MAX_SIGNATURES).map((one) => signatureParam(one));
  const searchHistory = booleanParam(configParam(params[1])['searchTransactionHistory'], 'searchTransactionHistory');
  await context.bank.durable();
  const slot = context.bank.slotAt('confirmed');
  const value = signatures.map((signature) => statusOf(signature, searchHistory, context));
  return { context: { apiVersion: SOLANA_VERSION, slot }, value };
};

function statusOf(signature: Uint8Array, searchHistory: boolean, { bank, store }: RpcContext): object | null {
  const found = bank.recentStatus(signature) ?? (searchHistory ? store.transaction(signature) : undefined);
  if (found === undefined) return null;
  const { slot, err } = found;
  const isFinal = bank.isFinal(slot);
  return {
    confirmationStatus: isFinal ? 'finalized' : 'confirmed',
    confirmations: isFinal ? null : bank.slotAt('confirmed') - slot,
    err,
    slot,
    status: err === null ? { Ok: null } : { Err: err },
  };
}

export const signatureStatusMethods: RpcMethods = { getSignatureStatuses };
