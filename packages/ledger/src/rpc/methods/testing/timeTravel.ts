import type { Bank } from '../../../bank/bank.js';
import { SLOTS_PER_EPOCH } from '../../../bank/engine.js';
import type { RpcMethod } from '../../context.js';
import { configParam, sizeParam } from '../../params.js';
import { invalidParams } from '../../rpcError.js';
import { getEpochInfo } from '../time.js';

/** A century: more than any test needs, and small enough that slots stay exact. */
const MAX_SECONDS = 3_155_760_000;
const AN_HOUR_MS = 3_600_000;

/** Moves clock, slots and block height forward together, by `seconds` or by `slots`. Rule L-24. */
export const advanceTime: RpcMethod = async (params, { bank }) => {
  const config = configParam(params[0]);
  const { seconds, slots } = config;
  if ((seconds === undefined) === (slots === undefined)) {
    throw invalidParams('Invalid params: expected an object with either `seconds` or `slots`.');
  }
  const ms =
    seconds === undefined ? sizeParam(slots, 'slots') * bank.clock.slotMs : sizeParam(seconds, 'seconds') * 1000;
  await advance(ms, bank);
  const slot = bank.slotAt('processed');
  return { slot, blockHeight: slot, unixTimestamp: bank.blockTime(slot) };
};

async function advance(ms: number, bank: Bank): Promise<void> {
  if (ms > MAX_SECONDS * 1000) {
    throw invalidParams(`Invalid params: that is more than ${MAX_SECONDS} seconds ahead; go in smaller steps.`);
  }
  await bank.advance(ms);
}

type Target = {
  /** Where the ledger is now. */
  readonly now: (bank: Bank) => number;
  /** The first slot that is not before the target. */
  readonly slotOf: (target: number, bank: Bank) => number;
};

const EPOCH = Number(SLOTS_PER_EPOCH);

const TARGETS: Readonly<Record<string, Target>> = {
  absoluteSlot: { now: (bank) => bank.slotAt('processed'), slotOf: (target) => target },
  absoluteEpoch: {
    now: (bank) => Math.floor(bank.slotAt('processed') / EPOCH),
    slotOf: (target) => target * EPOCH,
  },
  absoluteTimestamp: {
    now: (bank) => bank.clock.nowMs(),
    slotOf: (target, bank) => {
      const slot = bank.slotAt('processed');
      return slot + Math.ceil((target - bank.clock.slotStartMs(slot)) / bank.clock.slotMs);
    },
  },
};

/**
 * Surfpool's `surfnet_timeTravel`: to a slot, an epoch, or a time in milliseconds since 1970; without a target, an hour ahead.
 * Never back. Rule L-77.
 */
export const timeTravel: RpcMethod = async (params, context) => {
  const { bank } = context;
  const slot = targetSlot(params[0] ?? { absoluteTimestamp: bank.clock.nowMs() + AN_HOUR_MS }, bank);
  await advance(Math.max(0, bank.clock.slotStartMs(slot) - bank.clock.nowMs()), bank);
  return getEpochInfo([{ commitment: 'processed' }], context);
};

/** @throws RpcError when the target is in the past */
function targetSlot(params: unknown, bank: Bank): number {
  const config = configParam(params, 'target');
  const given = Object.keys(TARGETS).filter((one) => config[one] !== undefined);
  const [name = ''] = given;
  const target = TARGETS[name];
  if (target === undefined || given.length > 1) {
    throw invalidParams(`Invalid params: expected an object with one of ${Object.keys(TARGETS).join(', ')}.`);
  }
  const wanted = sizeParam(config[name], name);
  const now = target.now(bank);
  if (wanted < now) {
    throw invalidParams(`Cannot travel to the past: ${name} is ${wanted}, and the ledger is at ${now} already.`);
  }
  return target.slotOf(wanted, bank);
}
