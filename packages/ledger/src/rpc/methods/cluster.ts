import { readCommitment, type RpcMethod, type RpcMethods, withContext, SOLANA_VERSION } from '../context.js';
import { configParam, u64Param, addressParam, arrayParam, blockhashParam, wireParam, sizeParam } from '../params.js';
import { RPC_CODES, RpcError, invalidParams } from '../rpcError.js';
import { featureSetNumber } from '../../bank/features.js';
import { feeOf } from '../../bank/fees.js';
import { parseMessage } from '../../bank/wire.js';
import { MAX_SAMPLES } from '../performance.js';

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
  const slotsInEpoch = Number(bank.engine.slotsPerEpoch);
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

const MAX_FEE_ADDRESSES = 128;
const FEE_SLOTS = 150;

const getLatestBlockhash: RpcMethod = (params, context) => {
  const commitment = readCommitment(configParam(params[0]), context);
  return withContext(context.bank, commitment, context.bank.latestBlockhash(commitment));
};

const isBlockhashValid: RpcMethod = (params, context) => {
  const blockhash = blockhashParam(params[0], '');
  const commitment = readCommitment(configParam(params[1]), context);
  return withContext(
    context.bank,
    commitment,
    context.bank.lifetimes.lastValidBlockHeight(blockhash, commitment) !== undefined,
  );
};

const getFeeForMessage: RpcMethod = (params, context) => {
  const message = wireParam(params[0], 'message', 'base64', parseMessage);
  const commitment = readCommitment(configParam(params[1]), context);
  return withContext(
    context.bank,
    commitment,
    context.bank.lifetimes.isAlive(message, commitment) ? feeOf(message) : null,
  );
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

/** By which clients tell what a node can do. */
const FEATURE_SET = featureSetNumber();
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

// A cluster of one: this node leads every slot. It has no gossip and no snapshots.

const STAKE_MINIMUM = 1_000_000_000;

/** Addresses for other nodes are null. Clients that look for the leader's address send by JSON-RPC instead. */
const getClusterNodes: RpcMethod = (_, { identity, endpoints }) => [
  {
    clientId: null,
    featureSet: FEATURE_SET,
    gossip: null,
    pubkey: identity,
    pubsub: endpoints.pubsub ?? null,
    rpc: endpoints.rpc ?? null,
    serveRepair: null,
    shredVersion: null,
    tpu: null,
    tpuForwards: null,
    tpuForwardsQuic: null,
    tpuQuic: null,
    tpuVote: null,
    tvu: null,
    version: SOLANA_VERSION,
  },
];

const latestSlot: RpcMethod = (_, { bank }) => bank.slotAt('processed');

export const clusterMethods: RpcMethods = {
  getClusterNodes,
  getHighestSnapshotSlot: () => {
    throw new RpcError(RPC_CODES.noSnapshot, 'No snapshot');
  },
  getMaxRetransmitSlot: latestSlot,
  getMaxShredInsertSlot: latestSlot,
  getStakeMinimumDelegation: (params, context) =>
    withContext(context.bank, readCommitment(configParam(params[0]), context), STAKE_MINIMUM),
};
