import { SOLANA_VERSION, readCommitment, withContext, type RpcMethod, type RpcMethods } from '../context.js';
import { addressParam, configParam } from '../params.js';
import { RPC_CODES, RpcError } from '../rpcError.js';
import { FEATURE_SET } from './node.js';

// A cluster of one: this node leads every slot. It has no gossip, no stake, no votes and no snapshots.

const STAKE_MINIMUM = 1_000_000_000;

/** What other nodes would talk to is null. Clients that look for the leader's address send by JSON-RPC instead. */
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

const getVoteAccounts: RpcMethod = (params) => {
  const { votePubkey } = configParam(params[0]);
  if (votePubkey !== undefined) addressParam(votePubkey);
  return { current: [], delinquent: [] };
};

const latestSlot: RpcMethod = (_, { bank }) => bank.slotAt('processed');

export const clusterMethods: RpcMethods = {
  getBlockCommitment: () => ({ commitment: null, totalStake: 0 }),
  getClusterNodes,
  getHighestSnapshotSlot: () => {
    throw new RpcError(RPC_CODES.noSnapshot, 'No snapshot');
  },
  getMaxRetransmitSlot: latestSlot,
  getMaxShredInsertSlot: latestSlot,
  getStakeMinimumDelegation: (params, context) =>
    withContext(context.bank, readCommitment(configParam(params[0]), context), STAKE_MINIMUM),
  getVoteAccounts,
};
