import type { Bank } from '../../bank/bank.js';
import { RawJson } from '../../json.js';
import { readCommitment, withContext, type RpcMethod, type RpcMethods } from '../context.js';
import { addressParam, commitmentParam, configParam, u64Param } from '../params.js';
import { invalidParams } from '../rpcError.js';

const MAX_LEADERS = 5_000n;
/** How many slots back a bank remembers which of them have a block. */
const SLOT_HISTORY = 1_048_576;

const getEpochSchedule: RpcMethod = (_, { bank }) => ({
  firstNormalEpoch: 0,
  firstNormalSlot: 0,
  leaderScheduleSlotOffset: bank.engine.slotsPerEpoch,
  slotsPerEpoch: bank.engine.slotsPerEpoch,
  warmup: false,
});

const getSlotLeader: RpcMethod = (params, context) => {
  readCommitment(configParam(params[0]), context);
  return context.identity;
};

const getSlotLeaders: RpcMethod = (params, { bank, identity }) => {
  const start = u64Param(params[0], 'startSlot');
  const limit = u64Param(params[1], 'limit');
  if (limit > MAX_LEADERS) throw invalidParams(`Invalid limit; max ${MAX_LEADERS}`);
  if (limit > 0n) requireSchedule(start, start + limit - 1n, bank);
  return Array.from({ length: Number(limit) }, () => identity);
};

function requireSchedule(first: bigint, last: bigint, bank: Bank): void {
  const { slotsPerEpoch } = bank.engine;
  for (let epoch = first / slotsPerEpoch; epoch <= last / slotsPerEpoch; epoch += 1n) {
    if (isScheduled(epoch, bank)) continue;
    throw invalidParams(`Invalid slot range: leader schedule for epoch ${epoch} is unavailable`);
  }
}

/** Leaders are known for the next epoch too. */
function isScheduled(epoch: bigint, bank: Bank): boolean {
  return epoch <= BigInt(bank.slotAt('finalized')) / bank.engine.slotsPerEpoch + 1n;
}

const getLeaderSchedule: RpcMethod = (params, { bank, identity }) => {
  const [wanted, second] = params;
  const alone = typeof wanted === 'object' && wanted !== null ? wanted : undefined;
  const config = configParam(alone ?? second);
  const only = config['identity'];
  if (only !== undefined) addressParam(only);
  const slot =
    wanted === undefined || alone !== undefined
      ? BigInt(bank.slotAt(commitmentParam(config)))
      : u64Param(wanted, 'slot');
  if (!isScheduled(slot / bank.engine.slotsPerEpoch, bank)) return null;
  return only === undefined || only === identity ? { [identity]: everySlot(Number(bank.engine.slotsPerEpoch)) } : {};
};

let latestList: { readonly length: number; readonly json: RawJson } | undefined;

/** All slots of an epoch by their number in it: 3 MB of JSON, made once. */
function everySlot(length: number): RawJson {
  if (latestList?.length !== length) {
    const slots = Array.from({ length }, (_, slot) => slot);
    latestList = { length, json: new RawJson(`[${slots.join(',')}]`) };
  }
  return latestList.json;
}

const getBlockProduction: RpcMethod = (params, context) => {
  const { bank, identity } = context;
  const config = configParam(params[0]);
  const only = config['identity'];
  if (only !== undefined) addressParam(only);
  const commitment = commitmentParam(config);
  const slot = bank.slotAt(commitment);
  const { firstSlot, lastSlot } = rangeOf(config['range'], slot, bank);
  const count = lastSlot - firstSlot + 1;
  return withContext(bank, commitment, {
    byIdentity: only === undefined || only === identity ? { [identity]: [count, count] } : {},
    range: { firstSlot, lastSlot },
  });
};

/** The wanted slots, or those of the current epoch. @throws RpcError when a bank no longer or not yet knows them */
function rangeOf(wanted: unknown, slot: number, bank: Bank): { readonly firstSlot: number; readonly lastSlot: number } {
  const epochStart = slot - (slot % Number(bank.engine.slotsPerEpoch));
  if (wanted === undefined) return { firstSlot: epochStart, lastSlot: slot };
  const range = configParam(wanted);
  const first = u64Param(range['firstSlot'], 'firstSlot');
  const last = range['lastSlot'] === undefined ? BigInt(slot) : u64Param(range['lastSlot'], 'lastSlot');
  if (last < first) throw invalidParams(`lastSlot, ${last}, cannot be less than firstSlot, ${first}`);
  const oldest = Math.max(0, slot + 1 - SLOT_HISTORY);
  if (first < oldest) throw invalidParams(`firstSlot, ${first}, is too small; min ${oldest}`);
  if (last > slot) throw invalidParams(`lastSlot, ${last}, is too large; max ${slot}`);
  return { firstSlot: Number(first), lastSlot: Number(last) };
}

export const leaderMethods: RpcMethods = {
  getBlockProduction,
  getEpochSchedule,
  getLeaderSchedule,
  getSlotLeader,
  getSlotLeaders,
};
