import { keyOf, toBase58, type Key } from '../../bank/keys.js';
import { NON_CIRCULATING } from '../../bank/nonCirculating.js';
import { INFLATION } from '../../bank/stakes/inflation.js';
import { floatJson } from '../../json.js';
import { requireMinContextSlot, withContext, type RpcMethod, type RpcMethods } from '../context.js';
import { addressParam, arrayParam, commitmentParam, configParam, u64Param } from '../params.js';
import { invalidParams, RPC_CODES, RpcError } from '../rpcError.js';

const LARGEST_ACCOUNTS = 20;
const LAST_SLOT = 2n ** 64n - 1n;

/** Stakes count as circulating even while they are locked up. */
const getSupply: RpcMethod = (params, { bank }) => {
  const config = configParam(params[0]);
  const commitment = commitmentParam(config);
  const total = bank.wealth.supplyAt(bank.slotAt(commitment));
  const held = NON_CIRCULATING.map(({ address }) => bank.account(address, commitment)?.lamports ?? 0n);
  const nonCirculating = held.reduce((sum, lamports) => sum + lamports, 0n);
  const isShort = config['excludeNonCirculatingAccountsList'] === true;
  return withContext(bank, commitment, {
    circulating: total - nonCirculating,
    nonCirculating,
    nonCirculatingAccounts: isShort ? [] : NON_CIRCULATING.map(({ shown }) => shown),
    total,
  });
};

const getLargestAccounts: RpcMethod = (params, { bank }) => {
  const config = configParam(params[0]);
  const commitment = commitmentParam(config);
  const isEmpty = config['filter'] === 'nonCirculating';
  const richest = isEmpty ? [] : bank.wealth.richestAt(bank.slotAt(commitment), LARGEST_ACCOUNTS);
  const value = richest.map(({ address, lamports }) => ({ address: toBase58(address), lamports }));
  return withContext(bank, commitment, value);
};

const getInflationGovernor: RpcMethod = () =>
  Object.fromEntries(Object.entries(INFLATION).map(([name, value]) => [name, floatJson(value)]));

/** The rate of this epoch, which is that of its first slot. */
const getInflationRate: RpcMethod = (_, { bank }) => {
  const epoch = Math.floor(bank.slotAt('finalized') / Number(bank.engine.slotsPerEpoch));
  const { foundation, total, validator } = bank.stakes.inflation.ratesAfter(epoch);
  return {
    epoch,
    foundation: floatJson(foundation),
    total: floatJson(total),
    validator: floatJson(validator),
  };
};

/** What an epoch that is over paid to each of these addresses. */
const getInflationReward: RpcMethod = async (params, context) => {
  const { bank, store } = context;
  const addresses = arrayParam(params[0]).map((one) => addressParam(one));
  const config = configParam(params[1]);
  const commitment = commitmentParam(config);
  requireMinContextSlot(config, commitment, context);
  const slot = BigInt(bank.slotAt(commitment));
  const { slotsPerEpoch } = bank.engine;
  const current = slot / slotsPerEpoch;
  const wanted = config['epoch'] === undefined ? undefined : u64Param(config['epoch'], 'epoch');
  const epoch = wanted ?? (current > 0n ? current - 1n : 0n);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  const next = (epoch + 1n) * slotsPerEpoch;
  const boundary = next > LAST_SLOT ? LAST_SLOT : next;
  if (boundary > slot) throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${boundary}`);
  await bank.durable();
  const { votes = [], stakes = [] } = store.rewards(Number(epoch)) ?? {};
  const paid = new Map<Key, object>();
  for (const [rewards, effectiveSlot] of [
    [votes, boundary],
    [stakes, boundary + 1n],
  ] as const) {
    if (effectiveSlot > slot) continue;
    for (const { address, lamports, balance } of rewards) {
      paid.set(keyOf(address), { amount: lamports, commission: null, effectiveSlot, epoch, postBalance: balance });
    }
  }
  return addresses.map((address) => paid.get(keyOf(address)) ?? null);
};

export const supplyMethods: RpcMethods = {
  getInflationGovernor,
  getInflationRate,
  getInflationReward,
  getLargestAccounts,
  getSupply,
};
