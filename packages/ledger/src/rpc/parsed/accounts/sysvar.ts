import { toBase58 } from '../../../bank/keys.js';
import { DataReader } from './dataReader.js';
import type { Parsed } from './dataReader.js';

/** A sysvar, told apart by its address. */
export function parseSysvar(data: Uint8Array, address: Uint8Array): Parsed | undefined {
  const sysvar = SYSVARS[toBase58(address)];
  return sysvar === undefined ? undefined : { type: sysvar.type, info: sysvar.read(new DataReader(data)) };
}

type Sysvar = { readonly type: string; readonly read: (reader: DataReader) => unknown };

const SYSVARS: Readonly<Record<string, Sysvar>> = {
  SysvarC1ock11111111111111111111111111111111: { type: 'clock', read: readClock },
  SysvarEpochSchedu1e111111111111111111111111: { type: 'epochSchedule', read: readEpochSchedule },
  SysvarFees111111111111111111111111111111111: {
    type: 'fees',
    read: (reader) => ({ feeCalculator: readFeeCalculator(reader) }),
  },
  SysvarRecentB1ockHashes11111111111111111111: {
    type: 'recentBlockhashes',
    read: (reader) => reader.list(() => ({ blockhash: reader.key(), feeCalculator: readFeeCalculator(reader) })),
  },
  SysvarRent111111111111111111111111111111111: { type: 'rent', read: readRent },
  SysvarRewards111111111111111111111111111111: {
    type: 'rewards',
    read: (reader) => ({ validatorPointValue: reader.f64() }),
  },
  SysvarS1otHashes111111111111111111111111111: {
    type: 'slotHashes',
    read: (reader) => reader.list(() => ({ slot: reader.u64(), hash: reader.key() })),
  },
  SysvarS1otHistory11111111111111111111111111: { type: 'slotHistory', read: readSlotHistory },
  SysvarStakeHistory1111111111111111111111111: {
    type: 'stakeHistory',
    read: (reader) => reader.list(() => ({ epoch: reader.u64(), stakeHistory: readStakeTotals(reader) })),
  },
  SysvarLastRestartS1ot1111111111111111111111: {
    type: 'lastRestartSlot',
    read: (reader) => ({ lastRestartSlot: reader.u64() }),
  },
  SysvarEpochRewards1111111111111111111111111: { type: 'epochRewards', read: readEpochRewards },
};

function readClock(reader: DataReader): object {
  return {
    slot: reader.u64(),
    epochStartTimestamp: reader.i64(),
    epoch: reader.u64(),
    leaderScheduleEpoch: reader.u64(),
    unixTimestamp: reader.i64(),
  };
}

function readEpochSchedule(reader: DataReader): object {
  return {
    slotsPerEpoch: reader.u64(),
    leaderScheduleSlotOffset: reader.u64(),
    warmup: reader.bool(),
    firstNormalEpoch: reader.u64(),
    firstNormalSlot: reader.u64(),
  };
}

function readFeeCalculator(reader: DataReader): object {
  return { lamportsPerSignature: String(reader.u64()) };
}

function readRent(reader: DataReader): object {
  const lamportsPerByte = String(reader.u64());
  reader.bytes(8 + 1); // a threshold and a percentage that no longer count
  return { lamportsPerByte };
}

function readStakeTotals(reader: DataReader): object {
  return { effective: reader.u64(), activating: reader.u64(), deactivating: reader.u64() };
}

function readEpochRewards(reader: DataReader): object {
  return {
    distributionStartingBlockHeight: reader.u64(),
    numPartitions: reader.u64(),
    parentBlockhash: reader.key(),
    totalPoints: String(reader.u128()),
    totalRewards: String(reader.u64()),
    distributedRewards: String(reader.u64()),
    active: reader.bool(),
  };
}

/** How many slots the history covers; it has a bit for each. */
const HISTORY_SLOTS = 1024 * 1024;

function readSlotHistory(reader: DataReader): object {
  const words = reader.option(() => reader.list(() => reader.bytes(8))) ?? [];
  reader.u64(); // how many of the bits count
  const bits = words.flatMap((word) => Array.from(word, (byte) => BITS[byte] ?? '')).join('');
  return { bits: bits.slice(0, HISTORY_SLOTS).padEnd(HISTORY_SLOTS, '0'), nextSlot: reader.u64() };
}

/** The eight bits of each byte as digits, the lowest first. */
const BITS = Array.from({ length: 256 }, (_, byte) =>
  Array.from({ length: 8 }, (_, bit) => (byte >> bit) & 1).join(''),
);
