import { RawJson } from '../../../json.js';
import { DataReader, UnreadableDataError } from './dataReader.js';
import type { Parsed } from './parsed.js';

const VALIDATOR_INFO = 'Va1idator1nfo111111111111111111111111111111';

/** An account of the config program: what a validator says of itself. */
export function parseConfig(data: Uint8Array): Parsed | undefined {
  const reader = new DataReader(data);
  const keys = readKeys(reader);
  if (keys[0]?.pubkey !== VALIDATOR_INFO) return undefined;
  return { type: 'validatorInfo', info: { keys, configData: readJson(reader) } };
}

function readKeys(reader: DataReader): { readonly pubkey: string; readonly signer: boolean }[] {
  const count = readShortLength(reader);
  return Array.from({ length: count }, () => ({ pubkey: reader.key(), signer: reader.bool() }));
}

/** A length in the compact-u16 form: one to three bytes, the shortest that fits. */
function readShortLength(reader: DataReader): number {
  let length = 0;
  for (let place = 0; place < 3; place += 1) {
    const byte = reader.u8();
    if (byte === 0 && place > 0) break;
    length |= (byte & 0x7f) << (7 * place);
    if (byte < 0x80) {
      if (length > 0xffff) break;
      return length;
    }
  }
  throw new UnreadableDataError();
}

function readJson(reader: DataReader): RawJson {
  const text = reader.text(Number(reader.u64()));
  try {
    JSON.parse(text);
  } catch {
    throw new UnreadableDataError();
  }
  // As it stands: writing what was read would take a call for each level of nesting.
  return new RawJson(text);
}
