import { fromBase58, keyOf } from './keys.js';
import type { WireInstruction, WireMessage } from './wire.js';

const LAMPORTS_PER_SIGNATURE = 5000n;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;
const MAX_COMPUTE_UNITS = 1_400_000n;
const UNITS_PER_BUILTIN = 3_000n;
const UNITS_PER_PROGRAM = 200_000n;

const key = (address: string): string => keyOf(fromBase58(address));

const COMPUTE_BUDGET = key('ComputeBudget111111111111111111111111111111');

/** Programs whose instructions hold signatures in their data, counted in the first byte; each costs like a signer's. */
const SIGNATURE_PROGRAMS = new Set([
  key('Ed25519SigVerify111111111111111111111111111'),
  key('KeccakSecp256k11111111111111111111111111111'),
  key('Secp256r1SigVerify1111111111111111111111111'),
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
  let signatures = BigInt(message.numRequiredSignatures);
  message.instructions.forEach((one, index) => {
    if (SIGNATURE_PROGRAMS.has(programs[index] ?? '')) signatures += BigInt(one.data[0] ?? 0);
  });
  // Version 1 names its price in lamports, and instructions to the compute budget do nothing.
  if (message.config !== undefined) return signatures * LAMPORTS_PER_SIGNATURE + (message.config.priorityFee ?? 0n);
  const budget = message.instructions.filter((_, index) => programs[index] === COMPUTE_BUDGET);
  return signatures * LAMPORTS_PER_SIGNATURE + priorityFee(budget, programs);
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
