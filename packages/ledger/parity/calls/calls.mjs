// Every method of Agave 4.2, with good and with bad parameters.
import { readerCalls } from './readers.mjs';
import { tokenCalls } from './tokens.mjs';
import { blockCalls } from './blocks.mjs';
import { clusterCalls } from './cluster.mjs';
import { transactionCalls } from './transactions.mjs';

/** The methods of Agave 4.2, and which of their parameters is the options, if any. */
export const METHODS = {
  getAccountInfo: 1,
  getBalance: 1,
  getBlock: 1,
  getBlockCommitment: undefined,
  getBlockHeight: 0,
  getBlockProduction: 0,
  getBlockTime: undefined,
  getBlocks: 2,
  getBlocksWithLimit: 2,
  getClusterNodes: undefined,
  getEpochInfo: 0,
  getEpochSchedule: undefined,
  getFeeForMessage: 1,
  getFirstAvailableBlock: undefined,
  getGenesisHash: undefined,
  getHealth: undefined,
  getHighestSnapshotSlot: undefined,
  getIdentity: undefined,
  getInflationGovernor: 0,
  getInflationRate: undefined,
  getInflationReward: 1,
  getLargestAccounts: 0,
  getLatestBlockhash: 0,
  getLeaderSchedule: 1,
  getMaxRetransmitSlot: undefined,
  getMaxShredInsertSlot: undefined,
  getMinimumBalanceForRentExemption: 1,
  getMultipleAccounts: 1,
  getProgramAccounts: 1,
  getRecentPerformanceSamples: undefined,
  getRecentPrioritizationFees: undefined,
  getSignatureStatuses: 1,
  getSignaturesForAddress: 1,
  getSlot: 0,
  getSlotLeader: 0,
  getSlotLeaders: undefined,
  getStakeMinimumDelegation: 0,
  getSupply: 0,
  getTokenAccountBalance: 1,
  getTokenAccountsByDelegate: 2,
  getTokenAccountsByOwner: 2,
  getTokenLargestAccounts: 1,
  getTokenSupply: 1,
  getTransaction: 1,
  getTransactionCount: 0,
  getVersion: undefined,
  getVoteAccounts: 0,
  isBlockhashValid: 1,
  minimumLedgerSlot: undefined,
  requestAirdrop: 2,
  sendTransaction: 1,
  simulateTransaction: 1,
};

/** Mutations that make good parameters wrong; undefined where it makes no sense. */
const SPOILERS = {
  'no parameters': (good) => (good.length === 0 ? undefined : []),
  'parameters by name': () => ({}),
  'first is null': (good) => (good.length === 0 ? undefined : [null, ...good.slice(1)]),
  'first is a boolean': (good) => [true, ...good.slice(1)],
  'first is a list': (good) => [['x'], ...good.slice(1)],
  'one too many': (good, options) => [...padded(good, options), {}],
  'options are text': (good, options) => withOptions(good, options, () => 'confirmed'),
  'commitment recent': (good, options) => withOptions(good, options, (old) => ({ ...old, commitment: 'recent' })),
  'commitment of another name': (good, options) =>
    withOptions(good, options, (old) => ({ ...old, commitment: 'soon' })),
  'unknown option': (good, options) => withOptions(good, options, (old) => ({ ...old, whatever: 1 })),
  'slot not reached': (good, options) =>
    withOptions(good, options, (old) => ({ ...old, minContextSlot: 4_000_000_000 })),
};

/** @returns the calls on a scene, each `{ method, label, params }`; a label is used once with a method */
export async function callsOn(scene) {
  const good = [
    ...readerCalls(scene),
    ...tokenCalls(scene),
    ...blockCalls(scene),
    ...clusterCalls(scene),
    ...(await transactionCalls(scene)),
  ];
  const firsts = new Map([...good].reverse().map((one) => [one.method, one.params]));
  const bad = Object.entries(METHODS).flatMap(([method, options]) => spoiled(method, firsts.get(method), options));
  return [...good, ...bad, { method: 'getNothing', label: 'unknown method', params: [] }];
}

function spoiled(method, good, options) {
  return Object.entries(SPOILERS).flatMap(([label, spoil]) => {
    const params = spoil(good, options);
    return params === undefined ? [] : [{ method, label, params }];
  });
}

/** Good parameters, with empty options where they end before those. */
function padded(good, options) {
  const length = options === undefined ? good.length : Math.max(good.length, options + 1);
  return Array.from({ length }, (_, at) => (at < good.length ? good[at] : at === options ? {} : null));
}

function withOptions(good, options, change) {
  if (options === undefined) return undefined;
  const params = padded(good, options);
  params[options] = change(params[options]);
  return params;
}
