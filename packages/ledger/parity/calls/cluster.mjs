// Calls about a node itself and its cluster.
import { calls } from './list.mjs';

const FAR = 4_000_000_000;

export function clusterCalls({ addresses, slots }) {
  const { payer, stake } = addresses;
  const slot = slots['transfer'];
  const plain = [
    'getClusterNodes',
    'getEpochSchedule',
    'getGenesisHash',
    'getHealth',
    'getIdentity',
    'getInflationRate',
    'getVersion',
  ];
  return [
    ...plain.flatMap((method) => calls(method, { 'no parameters at all': [] })),
    ...calls('getBlockProduction', {
      'no options': [],
      confirmed: [{ commitment: 'confirmed' }],
      'of nobody': [{ identity: payer }],
      range: [{ range: { firstSlot: 0, lastSlot: slot } }],
      'range ahead': [{ range: { firstSlot: FAR } }],
      'wrong identity': [{ identity: 'nope' }],
      backwards: [{ range: { firstSlot: slot, lastSlot: 0 } }],
    }),
    ...calls('getInflationGovernor', { 'no options': [], confirmed: [{ commitment: 'confirmed' }] }),
    ...calls('getInflationReward', {
      'of an account': [[stake]],
      'of none': [[]],
      'of an epoch': [[stake], { epoch: 0 }],
      'of an epoch ahead': [[stake], { epoch: 4_000 }],
      'wrong address': [['nope']],
    }),
    ...calls('getLargestAccounts', {
      'no options': [],
      circulating: [{ filter: 'circulating' }],
      'not circulating': [{ filter: 'nonCirculating' }],
      'unknown filter': [{ filter: 'x' }],
    }),
    ...calls('getLeaderSchedule', {
      'no options': [],
      'of a slot': [slot],
      far: [FAR],
      'options first': [{ commitment: 'confirmed' }],
      'of nobody': [null, { identity: payer }],
      'wrong identity': [null, { identity: 'nope' }],
    }),
    ...calls('getSlotLeader', { 'no options': [], confirmed: [{ commitment: 'confirmed' }] }),
    ...calls('getSlotLeaders', { three: [slot, 3], 'too many': [slot, 5_001], none: [slot, 0], far: [FAR, 3] }),
    ...calls('getRecentPerformanceSamples', { 'no limit': [], one: [1], none: [0], 'too many': [721], text: ['1'] }),
    ...calls('getRecentPrioritizationFees', {
      all: [],
      'of an account': [[payer]],
      wrong: [['nope']],
      'too many': [Array.from({ length: 129 }, () => payer)],
    }),
    ...calls('getStakeMinimumDelegation', { 'no options': [], confirmed: [{ commitment: 'confirmed' }] }),
    ...calls('getSupply', {
      'no options': [],
      'no list': [{ excludeNonCirculatingAccountsList: true }],
      list: [{ excludeNonCirculatingAccountsList: false }],
    }),
    ...calls('getVoteAccounts', {
      'no options': [],
      'of nobody': [{ votePubkey: payer }],
      kept: [{ keepUnstakedDelinquents: true }],
      wrong: [{ votePubkey: 'nope' }],
      distance: [{ delinquentSlotDistance: 5 }],
    }),
  ];
}
