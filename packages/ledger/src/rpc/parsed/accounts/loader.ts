import { DataReader } from './dataReader.js';
import type { Parsed } from './parsed.js';

/** An account of the upgradeable loader: a buffer, a program, or a program's data. */
export function parseLoader(data: Uint8Array): Parsed | undefined {
  const reader = new DataReader(data);
  const state = reader.u32();
  if (state === 0) return { type: 'uninitialized' };
  if (state === 1) {
    return { type: 'buffer', info: { authority: reader.option(() => reader.key()), data: encodedRest(reader) } };
  }
  if (state === 2) return { type: 'program', info: { programData: reader.key() } };
  if (state !== 3) return undefined;
  const slot = reader.u64();
  const authority = reader.option(() => reader.key());
  return { type: 'programData', info: { slot, authority, data: encodedRest(reader) } };
}

/** The program's bytes. Without an authority they begin where it would stand, as a cluster shows them. */
function encodedRest(reader: DataReader): [string, 'base64'] {
  return [Buffer.from(reader.rest()).toString('base64'), 'base64'];
}
