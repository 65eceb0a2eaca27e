import { DataReader, type Parsed, UnreadableDataError } from './dataReader.js';
import { RawJson } from '../../../json.js';

/** A durable nonce. An account that merely has its length is not shown as one. */
export function parseNonce(data: Uint8Array): Parsed | undefined {
  const reader = new DataReader(data);
  const version = reader.u32();
  const state = reader.u32();
  if (version > 1 || state !== 1) return undefined;
  return {
    type: 'initialized',
    info: {
      authority: reader.key(),
      blockhash: reader.key(),
      feeCalculator: { lamportsPerSignature: String(reader.u64()) },
    },
  };
}

const HEADER_BYTES = 56;

/** An address lookup table. */
export function parseLookupTable(data: Uint8Array): Parsed | undefined {
  const reader = new DataReader(data);
  const state = reader.u32();
  if (state === 0) return { type: 'uninitialized' };
  if (state !== 1 || data.length < HEADER_BYTES || (data.length - HEADER_BYTES) % 32 !== 0) return undefined;
  const deactivationSlot = String(reader.u64());
  const lastExtendedSlot = String(reader.u64());
  const lastExtendedSlotStartIndex = reader.u8();
  const authority = reader.option(() => reader.key()) ?? undefined;
  const entries = new DataReader(data.subarray(HEADER_BYTES));
  const addresses = Array.from({ length: (data.length - HEADER_BYTES) / 32 }, () => entries.key());
  return {
    type: 'lookupTable',
    info: { addresses, authority, deactivationSlot, lastExtendedSlot, lastExtendedSlotStartIndex },
  };
}

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
