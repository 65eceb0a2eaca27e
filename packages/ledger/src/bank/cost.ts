import type { AccountKeys } from './accountKeys.js';
import { signaturesOf } from './fees.js';
import type { WireMessage } from './wire.js';

const UNITS_PER_WRITABLE = 300;
const INSTRUCTION_BYTES_PER_UNIT = 4;
const LOADED_BYTES_PER_PAGE = 32 * 1024;
const UNITS_PER_PAGE = 8;

/** What a transaction that ran takes of its block, in compute units, as Agave's cost model reckons it. Rule L-83. */
export function costUnitsOf(
  message: WireMessage,
  { names, isWritable }: Pick<AccountKeys, 'names' | 'isWritable'>,
  { unitsConsumed, loadedSize }: { readonly unitsConsumed: bigint; readonly loadedSize: number },
): bigint {
  const programs = message.instructions.map(({ programIndex }) => names[programIndex] ?? '');
  const writable = names.filter((_, index) => isWritable(index)).length;
  const bytes = message.instructions.reduce((sum, { data }) => sum + data.length, 0);
  const overhead =
    signaturesOf(message, programs).units +
    UNITS_PER_WRITABLE * writable +
    Math.floor(bytes / INSTRUCTION_BYTES_PER_UNIT) +
    UNITS_PER_PAGE * Math.ceil(loadedSize / LOADED_BYTES_PER_PAGE);
  return unitsConsumed + BigInt(overhead);
}
