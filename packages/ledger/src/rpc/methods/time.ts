import { SLOTS_PER_EPOCH } from '../../bank/engine.js';
import { readCommitment, type RpcMethod, type RpcMethods } from '../context.js';
import { configParam, requireParams, sizeParam } from '../params.js';
import { RPC_CODES, RpcError } from '../rpcError.js';

const getSlot: RpcMethod = (params, context) => context.bank.slotAt(readCommitment(configParam(params[0]), context));

const getBlockTime: RpcMethod = (params, { bank }) => {
  requireParams(params, 1);
  const slot = sizeParam(params[0], 'slot');
  if (slot > bank.slotAt('confirmed')) {
    throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
  }
  return bank.blockTime(slot);
};

export const getEpochInfo: RpcMethod = (params, context) => {
  const { bank } = context;
  const slot = bank.slotAt(readCommitment(configParam(params[0]), context));
  const slotsInEpoch = Number(SLOTS_PER_EPOCH);
  return {
    absoluteSlot: slot,
    blockHeight: slot,
    epoch: Math.floor(slot / slotsInEpoch),
    slotIndex: slot % slotsInEpoch,
    slotsInEpoch,
    transactionCount: bank.transactionCount,
  };
};

/** Every slot has a block here, so the block height is the slot. */
export const timeMethods: RpcMethods = { getBlockHeight: getSlot, getBlockTime, getEpochInfo, getSlot };
