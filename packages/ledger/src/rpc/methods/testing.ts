import type { RpcMethod, RpcMethods } from '../context.js';
import { configParam, sizeParam } from '../params.js';
import { invalidParams } from '../rpcError.js';

/** A century: more than any test needs, and small enough that slots stay exact. */
const MAX_SECONDS = 3_155_760_000;

/** Moves clock, slots and block height forward together, by `seconds` or by `slots`. Rule L-24. */
const advanceTime: RpcMethod = async (params, { bank }) => {
  const config = configParam(params[0]);
  const { seconds, slots } = config;
  if ((seconds === undefined) === (slots === undefined)) {
    throw invalidParams('Invalid params: expected an object with either `seconds` or `slots`.');
  }
  const ms =
    seconds === undefined ? sizeParam(slots, 'slots') * bank.clock.slotMs : sizeParam(seconds, 'seconds') * 1000;
  if (ms > MAX_SECONDS * 1000) {
    throw invalidParams(`Invalid params: that is more than ${MAX_SECONDS} seconds ahead; go in smaller steps.`);
  }
  await bank.advance(ms);
  const slot = bank.slotAt('processed');
  return { slot, blockHeight: slot, unixTimestamp: bank.blockTime(slot) };
};

/** Methods of a ledger that was started for tests. */
export const testingMethods: RpcMethods = { relay_advanceTime: advanceTime };
