import type { Bank } from '../../bank/bank.js';
import { withContext, type RpcMethod, type RpcMethods } from '../context.js';
import { requireParams, sizeParam, configParam } from '../params.js';
import { invalidParams, RPC_CODES, RpcError } from '../rpcError.js';
import { getEpochInfo } from './cluster.js';
import { resetAccount, setAccount, setProgramAuthority } from './testing/setAccount.js';
import { setTokenAccount } from './testing/setTokenAccount.js';

const MAX_SNAPSHOTS = 1000;

/** Takes a snapshot of all accounts and answers its number. */
const snapshot: RpcMethod = (_params, { bank }) => {
  if (bank.edits.snapshots.length >= MAX_SNAPSHOTS) {
    throw invalidParams(`Invalid params: there are ${MAX_SNAPSHOTS} snapshots; go back to one of them first.`);
  }
  return bank.edits.takeSnapshot();
};

/** Puts all accounts back to what they were at a snapshot. Rule L-82. */
const restore: RpcMethod = (params, { bank }) => {
  requireParams(params, 1);
  const id = sizeParam(params[0], 'snapshot');
  if (!bank.edits.restore(id))
    throw invalidParams(`Invalid params: there is no snapshot ${id}, only ${bank.edits.snapshots.join(', ')}.`);
  return withContext(bank, 'processed', null);
};

/** Puts all accounts back to what they were when the ledger was first started for tests. */
const reset: RpcMethod = (_params, { bank }) => {
  bank.edits.restore(firstOf(bank));
  return withContext(bank, 'processed', null);
};

function firstOf(bank: Bank): number {
  const [first] = bank.edits.snapshots;
  if (first === undefined) throw new Error('a ledger for tests has a first snapshot');
  return first;
}

/** A century: more than any test needs, and small enough that slots stay exact. */
const MAX_SECONDS = 3_155_760_000;
const AN_HOUR_MS = 3_600_000;

/** Moves clock, slots and block height forward together, by `seconds` or by `slots`. Rule L-24. */
const advanceTime: RpcMethod = async (params, { bank }) => {
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

const TARGETS: Readonly<Record<string, Target>> = {
  absoluteSlot: { now: (bank) => bank.slotAt('processed'), slotOf: (target) => target },
  absoluteEpoch: {
    now: (bank) => Math.floor(bank.slotAt('processed') / Number(bank.engine.slotsPerEpoch)),
    slotOf: (target, bank) => target * Number(bank.engine.slotsPerEpoch),
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
const timeTravel: RpcMethod = async (params, context) => {
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

/** Methods of a ledger that was started for tests; those of Surfpool under its names. */
export const testingMethods: RpcMethods = {
  relay_advanceTime: advanceTime,
  relay_reset: reset,
  relay_restore: restore,
  relay_snapshot: snapshot,
  surfnet_resetAccount: resetAccount,
  surfnet_resetNetwork: reset,
  surfnet_setAccount: setAccount,
  surfnet_setProgramAuthority: setProgramAuthority,
  surfnet_setTokenAccount: setTokenAccount,
  surfnet_timeTravel: timeTravel,
};

/** The same names on a ledger that was not started for tests: refusals. */
export const refusedTestingMethods: RpcMethods = Object.fromEntries(
  Object.keys(testingMethods).map((name) => [name, refusing(name)]),
);

function refusing(name: string): RpcMethod {
  return () => {
    const how = 'start the ledger for tests, with `--testing` or `startLedger({ testing: true })`';
    throw new RpcError(RPC_CODES.methodNotFound, `Method not found: to use ${name}, ${how}`);
  };
}
