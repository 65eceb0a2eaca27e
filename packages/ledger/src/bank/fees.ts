import type { Execution } from './engine.js';
import { fromBase58, keyOf, type Key } from './keys.js';
import type { TransactionError } from './transactionError.js';
import type { WireInstruction, WireMessage } from './wire.js';
import type { AccountKeys } from './accountKeys.js';
import type { Outline } from './accountIndex.js';

const LAMPORTS_PER_SIGNATURE = 5000n;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;
const MAX_COMPUTE_UNITS = 1_400_000n;
const UNITS_PER_BUILTIN = 3_000n;
const UNITS_PER_PROGRAM = 200_000n;

const key = (address: string): Key => keyOf(fromBase58(address));

const COMPUTE_BUDGET = key('ComputeBudget111111111111111111111111111111');

const MAX_LOADED_BYTES = 64 * 1024 * 1024;
/** The number of the instruction to the compute budget that limits them. */
const SET_LOADED_LIMIT = 4;

const UNITS_PER_SIGNER = 720;

/**
 * Programs whose instructions hold signatures in their data, counted in the first byte, and the units that checking one takes; for the
 * fee it counts like a signer's.
 */
const SIGNATURE_PROGRAMS = new Map([
  [key('Ed25519SigVerify111111111111111111111111111'), 2_400],
  [key('KeccakSecp256k11111111111111111111111111111'), 6_690],
  [key('Secp256r1SigVerify1111111111111111111111111'), 4_800],
]);

const BUILTINS = new Set([
  COMPUTE_BUDGET,
  key('11111111111111111111111111111111'),
  key('Vote111111111111111111111111111111111111111'),
  key('BPFLoader1111111111111111111111111111111111'),
  key('BPFLoader2111111111111111111111111111111111'),
  key('BPFLoaderUpgradeab1e11111111111111111111111'),
  key('LoaderV411111111111111111111111111111111111'),
  key('Ed25519SigVerify111111111111111111111111111'),
  key('KeccakSecp256k11111111111111111111111111111'),
]);

/** The fee of a message in lamports: 5,000 a signature, plus the price of its compute units, rounded up. Rule L-13. */
export function feeOf(message: WireMessage): bigint {
  const programs = message.instructions.map((one) => keyOf(message.staticKeys[one.programIndex] ?? new Uint8Array()));
  const signatures = BigInt(signaturesOf(message, programs).count);
  // Version 1 names its price in lamports, and instructions to the compute budget do nothing.
  if (message.config !== undefined) return signatures * LAMPORTS_PER_SIGNATURE + (message.config.priorityFee ?? 0n);
  const budget = message.instructions.filter((_, index) => programs[index] === COMPUTE_BUDGET);
  return signatures * LAMPORTS_PER_SIGNATURE + priorityFee(budget, programs);
}

/** Reports whether a transaction got far enough to pay its fee: it ran, or could not be loaded. */
export function paysFee({ err, logs }: Pick<Execution, 'err' | 'logs'>): boolean {
  return err === null || logs.length > 0 || (typeof err === 'object' && 'InstructionError' in err) || isUnloadable(err);
}

/** The errors of a transaction that calls what is no program, or loads too much: it does not run, and pays all the same. */
export function isUnloadable(err: TransactionError | null): boolean {
  return (
    err === 'ProgramAccountNotFound' ||
    err === 'InvalidProgramForExecution' ||
    err === 'MaxLoadedAccountsDataSizeExceeded'
  );
}

/** How many bytes a message may load: 64 MiB, or what it says. Version 1 has to say it. */
export function loadedLimitOf({ config, instructions, staticKeys }: WireMessage): number {
  if (config !== undefined) return Math.min(config.loadedAccountsDataSizeLimit ?? 0, MAX_LOADED_BYTES);
  for (const { data, programIndex } of instructions) {
    if (data[0] !== SET_LOADED_LIMIT || data.length < 5) continue;
    if (keyOf(staticKeys[programIndex] ?? new Uint8Array()) !== COMPUTE_BUDGET) continue;
    return Math.min(Buffer.from(data).readUInt32LE(1), MAX_LOADED_BYTES);
  }
  return MAX_LOADED_BYTES;
}

/** The signatures of a message and of its instructions, whose programs are given: how many, and the units that checking them takes. */
function signaturesOf(
  { numRequiredSignatures, instructions }: WireMessage,
  programs: readonly Key[],
): { readonly count: number; readonly units: number } {
  let [count, units] = [numRequiredSignatures, numRequiredSignatures * UNITS_PER_SIGNER];
  instructions.forEach(({ data }, index) => {
    const each = SIGNATURE_PROGRAMS.get(programs[index] ?? '');
    if (each === undefined) return;
    count += data[0] ?? 0;
    units += (data[0] ?? 0) * each;
  });
  return { count, units };
}

function priorityFee(budget: readonly WireInstruction[], programs: readonly string[]): bigint {
  let price = 0n;
  let limit = programs.reduce(
    (sum, program) => sum + (BUILTINS.has(program) ? UNITS_PER_BUILTIN : UNITS_PER_PROGRAM),
    0n,
  );
  for (const { data } of budget) {
    const bytes = Buffer.from(data);
    if (bytes[0] === 2 && bytes.length >= 5) limit = BigInt(bytes.readUInt32LE(1));
    if (bytes[0] === 3 && bytes.length >= 9) price = bytes.readBigUInt64LE(1);
  }
  if (limit > MAX_COMPUTE_UNITS) limit = MAX_COMPUTE_UNITS;
  return (price * limit + MICROLAMPORTS_PER_LAMPORT - 1n) / MICROLAMPORTS_PER_LAMPORT;
}

const UNITS_PER_WRITABLE = 300;
const INSTRUCTION_BYTES_PER_UNIT = 4;
const LOADED_BYTES_PER_PAGE = 32 * 1024;
const UNITS_PER_PAGE = 8;

/** The share of its block that a transaction that ran takes, in compute units, as Agave's cost model reckons it. Rule L-83. */
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

/** Bytes that every account counts in addition to its data. */
const ACCOUNT_BASE_SIZE = 64;
/** Bytes that a lookup table counts, whatever it holds. */
const TABLE_SIZE = 8248;

/**
 * Bytes of the accounts that a transaction loads, as SIMD-0186 counts them: the code of an upgradeable program too, once, whether the
 * program is called or only named.
 */
export function loadedSizeOf(
  { lookups }: WireMessage,
  { all, names }: Pick<AccountKeys, 'all' | 'names'>,
  outline: (address: Uint8Array, name: Key) => Outline | undefined,
): number {
  let size = TABLE_SIZE * lookups.length;
  const codes = new Set<Key>();
  const add = (address: Uint8Array, name: Key): Uint8Array | undefined => {
    const found = outline(address, name);
    if (found !== undefined) size += ACCOUNT_BASE_SIZE + found.bytes;
    return found?.code;
  };
  all.forEach((address, index) => {
    const code = add(address, names[index] ?? '');
    const name = code && keyOf(code);
    if (code === undefined || name === undefined || names.includes(name) || codes.has(name)) return;
    codes.add(name);
    add(code, name);
  });
  return size;
}
