import { DataReader } from './dataReader.js';
import type { Parsed } from './parsed.js';

/** A stake account. */
export function parseStake(data: Uint8Array): Parsed | undefined {
  const reader = new DataReader(data);
  const state = reader.u32();
  if (state === 0) return { type: 'uninitialized' };
  if (state === 1) return { type: 'initialized', info: { meta: readMeta(reader), stake: null } };
  if (state === 2) {
    const info = { meta: readMeta(reader), stake: readStake(reader) };
    reader.u8(); // its flags
    return { type: 'delegated', info };
  }
  return state === 3 ? { type: 'rewardsPool' } : undefined;
}

function readMeta(reader: DataReader): object {
  return {
    rentExemptReserve: String(reader.u64()),
    authorized: { staker: reader.key(), withdrawer: reader.key() },
    lockup: { unixTimestamp: reader.i64(), epoch: reader.u64(), custodian: reader.key() },
  };
}

function readStake(reader: DataReader): object {
  const delegation = {
    voter: reader.key(),
    stake: String(reader.u64()),
    activationEpoch: String(reader.u64()),
    deactivationEpoch: String(reader.u64()),
  };
  reader.f64(); // a rate that no longer counts
  return { delegation, creditsObserved: reader.u64() };
}
