import { SLOTS_PER_EPOCH } from '../../bank/engine.js';
import { readCommitment, type RpcMethod, type RpcMethods } from '../context.js';
import { configParam, u64Param } from '../params.js';
import { RPC_CODES, RpcError } from '../rpcError.js';

const getSlot: RpcMethod = (params, context) => context.bank.slotAt(readCommitment(configParam(params[0]), context));

const getBlockTime: RpcMethod = (params, { bank }) => {
  const slot = u64Param(params[0], 'slot');
  if (slot > bank.slotAt('confirmed')) {
    throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
  }
  return bank.blockTime(Number(slot));
};

export const getEpochInfo: RpcMethod = (params, context) => {
  const { bank } = context;
  const commitment = readCommitment(configParam(params[0]), context);
  const slot = bank.slotAt(commitment);
  const slotsInEpoch = Number(SLOTS_PER_EPOCH);
  return {
    absoluteSlot: slot,
    blockHeight: slot,
    epoch: Math.floor(slot / slotsInEpoch),
    slotIndex: slot % slotsInEpoch,
    slotsInEpoch,
    transactionCount: bank.transactionCount(commitment),
  };
};

/** Every slot has a block here, so the block height is the slot. */
export const timeMethods: RpcMethods = { getBlockHeight: getSlot, getBlockTime, getEpochInfo, getSlot };
