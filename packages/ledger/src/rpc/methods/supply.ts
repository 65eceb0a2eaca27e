import { toBase58 } from '../../bank/keys.js';
import { floatJson } from '../../json.js';
import { requireMinContextSlot, withContext, type RpcMethod, type RpcMethods } from '../context.js';
import { addressParam, arrayParam, commitmentParam, configParam, u64Param } from '../params.js';
import { invalidParams, RPC_CODES, RpcError } from '../rpcError.js';

const LARGEST_ACCOUNTS = 20;
const LAST_SLOT = 2n ** 64n - 1n;

/** As a validator's genesis sets it. Here nobody has a stake on which it would be paid. */
const INFLATION = { initial: 0.08, terminal: 0.015, taper: 0.15, foundation: 0.05, foundationTerm: 7 };
/** A year has 365.242199 days, and a slot is meant to take 400 ms. */
const SLOTS_PER_YEAR = (365.242199 * 24 * 60 * 60) / 0.4;

/** All lamports circulate: none are locked. */
const getSupply: RpcMethod = (params, { bank }) => {
  const commitment = commitmentParam(configParam(params[0]));
  const total = bank.wealth.supplyAt(bank.slotAt(commitment));
  return withContext(bank, commitment, { circulating: total, nonCirculating: 0, nonCirculatingAccounts: [], total });
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
  const { initial, terminal, taper, foundation: share, foundationTerm } = INFLATION;
  const slotsPerEpoch = Number(bank.engine.slotsPerEpoch);
  const epoch = Math.floor(bank.slotAt('finalized') / slotsPerEpoch);
  const year = (epoch * slotsPerEpoch) / SLOTS_PER_YEAR;
  const total = Math.max(initial * (1 - taper) ** year, terminal);
  const foundation = year < foundationTerm ? total * share : 0;
  return {
    epoch,
    foundation: floatJson(foundation),
    total: floatJson(total),
    validator: floatJson(total - foundation),
  };
};

/** Nothing for anybody, once the epoch is over. */
const getInflationReward: RpcMethod = (params, context) => {
  const { bank } = context;
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
  return addresses.map(() => null);
};

export const supplyMethods: RpcMethods = {
  getInflationGovernor,
  getInflationRate,
  getInflationReward,
  getLargestAccounts,
  getSupply,
};
