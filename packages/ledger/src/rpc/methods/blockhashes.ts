import { feeOf } from '../../bank/fees.js';
import { parseMessage } from '../../bank/wire.js';
import { readCommitment, withContext, type RpcMethod, type RpcMethods } from '../context.js';
import { addressParam, arrayParam, blockhashParam, configParam, wireParam } from '../params.js';

const MAX_FEE_ADDRESSES = 128;
const FEE_SLOTS = 150;

const getLatestBlockhash: RpcMethod = (params, context) => {
  const commitment = readCommitment(configParam(params[0]), context);
  return withContext(context.bank, commitment, context.bank.latestBlockhash(commitment));
};

const isBlockhashValid: RpcMethod = (params, context) => {
  const blockhash = blockhashParam(params[0], '');
  const commitment = readCommitment(configParam(params[1]), context);
  return withContext(context.bank, commitment, context.bank.lastValidBlockHeight(blockhash, commitment) !== undefined);
};

const getFeeForMessage: RpcMethod = (params, context) => {
  const message = wireParam(params[0], 'message', 'base64', parseMessage);
  const commitment = readCommitment(configParam(params[1]), context);
  return withContext(context.bank, commitment, context.bank.isAlive(message, commitment) ? feeOf(message) : null);
};

/** Nobody competes for block space here, so no priority fee is ever needed. */
const getRecentPrioritizationFees: RpcMethod = (params, { bank }) => {
  for (const one of arrayParam(params[0] ?? [], MAX_FEE_ADDRESSES)) addressParam(one);
  const slot = bank.slotAt('confirmed');
  const first = Math.max(0, slot - FEE_SLOTS + 1);
  return Array.from({ length: slot - first + 1 }, (_, index) => ({ prioritizationFee: 0, slot: first + index }));
};

export const blockhashMethods: RpcMethods = {
  getFeeForMessage,
  getLatestBlockhash,
  getRecentPrioritizationFees,
  isBlockhashValid,
};
