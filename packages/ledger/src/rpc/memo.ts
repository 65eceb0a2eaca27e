import { fromBase58, keyOf } from '../bank/keys.js';
import type { WireMessage } from '../bank/wire.js';
import { UnreadableDataError } from './parsed/accounts/dataReader.js';
import { MEMO_PROGRAMS } from './parsed/instructions/index.js';
import { textOf } from './parsed/instructions/instruction.js';

const PROGRAM_KEYS = new Set(Array.from(MEMO_PROGRAMS, (address) => keyOf(fromBase58(address))));

/** The memos of a transaction in one text, each behind its length in bytes; null when it has none. */
export function memoOf({ instructions, staticKeys }: WireMessage): string | null {
  const programs = staticKeys.map((key) => PROGRAM_KEYS.has(keyOf(key)));
  const memos = instructions.filter((one) => programs[one.programIndex]).map((one) => showMemo(one.data));
  return memos.length === 0 ? null : memos.join('; ');
}

function showMemo(data: Uint8Array): string {
  try {
    return `[${data.length}] ${textOf(data)}`;
  } catch (error) {
    if (!(error instanceof UnreadableDataError)) throw error;
    return `[${data.length}] (unparsable)`;
  }
}
