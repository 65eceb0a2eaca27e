import { COMPUTE_BUDGET_PROGRAM_ADDRESS, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getAdvanceNonceAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createNoopSigner,
  createTransactionMessage,
  decompileTransactionMessage,
  getAddressDecoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';

/** A number from 0 to below 1. */
export type Random = () => number;

/** The parts of a transaction. */
interface Parts {
  readonly version: 'legacy' | 0;
  readonly feePayer: Address;
  readonly blockhash: Blockhash;
  readonly instructions: readonly Instruction[];
}

const OTHER = address('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T');
const OTHER_PROGRAM = address('SysvarC1ock11111111111111111111111111111111');
const OLD_BLOCKHASH = 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N' as Blockhash;
const whole = (random: Random, below: number) => Math.floor(random() * below);

/** Ways in which a service may build something else than was asked; `own` is the wallet that is to sign. */
const FORGERIES = {
  bytes: (parts, random) => changeRelay(parts, (one) => ({ ...one, data: flipped(one.data, random) })),
  anotherInstruction: (parts, random) => changeRelay(parts, (one) => ({ ...one, data: renamed(one.data, random) })),
  anotherAccount: (parts, random) => changeRelay(parts, (one) => withAccount(one, random)),
  allAccountsTheirs: (parts) =>
    changeRelay(parts, (one) => ({
      ...one,
      accounts: one.accounts?.map(({ role }) => ({ address: OTHER, role })) ?? [],
    })),
  mostBudget: (parts) => changeRelay(parts, (one) => ({ ...one, data: filled(one.data) })),
  anotherProgram: (parts) => changeRelay(parts, (one) => ({ ...one, programAddress: OTHER_PROGRAM })),
  twice: (parts) => ({ ...parts, instructions: [...parts.instructions, ...parts.instructions] }),
  withTransfer: (parts, random, own) => {
    const amount = BigInt(whole(random, 1_000_000_000));
    const transfer = getTransferSolInstruction({ source: createNoopSigner(own), destination: OTHER, amount });
    return { ...parts, instructions: random() < 0.5 ? [transfer] : [...parts.instructions, transfer] };
  },
  durable: (parts, _, own) => {
    const nonce = getAdvanceNonceAccountInstruction({ nonceAccount: OTHER, nonceAuthority: createNoopSigner(own) });
    return { ...parts, instructions: [nonce, ...parts.instructions] };
  },
  anotherPayer: (parts) => ({ ...parts, feePayer: OTHER }),
  secondSigner: (parts) =>
    changeRelay(parts, (one) => ({
      ...one,
      accounts: [...(one.accounts ?? []), { address: OTHER, role: AccountRole.READONLY_SIGNER }],
    })),
  hugeFee: (parts, random) => {
    const microLamports = random() < 0.5 ? 2n ** 64n - 1n : BigInt(whole(random, 2 ** 40));
    const others = parts.instructions.filter((one) => one.programAddress !== COMPUTE_BUDGET_PROGRAM_ADDRESS);
    return { ...parts, instructions: [getSetComputeUnitPriceInstruction({ microLamports }), ...others] };
  },
  oldBlockhash: (parts, random) => ({ ...parts, blockhash: random() < 0.5 ? OLD_BLOCKHASH : anyBlockhash(random) }),
  legacy: (parts) => ({ ...parts, version: 'legacy' }),
  nothing: (parts) => ({ ...parts, instructions: [] }),
} as const satisfies Record<string, (parts: Parts, random: Random, own: Address) => Parts>;

/** A way in which a service may build something else. */
export type Forgery = keyof typeof FORGERIES | 'lookupTables' | 'noTransaction' | 'cutOff';
/** Their names. */
export const FORGERY_NAMES = [
  ...Object.keys(FORGERIES),
  'lookupTables',
  'noTransaction',
  'cutOff',
] as readonly Forgery[];

/** The wire transaction as a lying service builds it. */
export function forged(base64: string, random: Random, own: string, name = anyName(random)): string {
  if (name === 'noTransaction')
    return Buffer.from(Array.from({ length: whole(random, 300) + 3 }, () => whole(random, 256))).toString('base64');
  if (name === 'cutOff')
    return Buffer.from(base64, 'base64')
      .subarray(0, whole(random, 200) + 3)
      .toString('base64');
  const parts = taken(base64);
  try {
    return name === 'lookupTables' ? wire(parts, true) : wire(FORGERIES[name](parts, random, address(own)));
  } catch {
    // Some changes cannot be put in bytes at all.
    return wire({ ...parts, instructions: [] });
  }
}

const anyName = (random: Random) => FORGERY_NAMES[whole(random, FORGERY_NAMES.length)] ?? 'nothing';

function taken(base64: string): Parts {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { feePayer, instructions } = decompileTransactionMessage(compiled);
  return { version: 0, feePayer: feePayer.address, blockhash: compiled.lifetimeToken as Blockhash, instructions };
}

function wire({ version, feePayer, blockhash, instructions }: Parts, compressed = false): string {
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 2n ** 40n }, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  );
  if (!compressed || message.version === 'legacy') return getBase64EncodedWireTransaction(compileTransaction(message));
  const hidden = instructions.flatMap(({ accounts = [] }) => accounts.map((account) => account.address));
  const hiding = compressTransactionMessageUsingAddressLookupTables(message as never, { [OTHER]: hidden });
  return getBase64EncodedWireTransaction(compileTransaction(hiding));
}

function changeRelay(parts: Parts, change: (one: Instruction) => Instruction): Parts {
  const isRelay = (one: Instruction) => one.programAddress !== COMPUTE_BUDGET_PROGRAM_ADDRESS;
  return { ...parts, instructions: parts.instructions.map((one) => (isRelay(one) ? change(one) : one)) };
}

function flipped(data: Instruction['data'], random: Random): Uint8Array {
  const bytes = Uint8Array.from(data ?? []);
  const at = whole(random, bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << whole(random, 8));
  return bytes;
}

/** Another discriminator: an instruction that takes or spends something else, or that only operators sign. */
function renamed(data: Instruction['data'], random: Random): Uint8Array {
  const bytes = Uint8Array.from(data ?? []);
  bytes[0] = whole(random, 30);
  return random() < 0.5 ? bytes : bytes.subarray(0, whole(random, bytes.length) + 1);
}

/** The largest number in the eight bytes after a listing's id. */
function filled(data: Instruction['data']): Uint8Array {
  return Uint8Array.from(data ?? []).fill(0x7f, 17, 25);
}

function withAccount(one: Instruction, random: Random): Instruction {
  const accounts = [...(one.accounts ?? [])];
  const at = whole(random, accounts.length);
  const replaced = accounts[at];
  if (replaced) accounts[at] = { ...replaced, address: random() < 0.5 ? OTHER : anyAddress(random) };
  return { ...one, accounts };
}

const anyAddress = (random: Random) =>
  getAddressDecoder().decode(Uint8Array.from({ length: 32 }, () => whole(random, 256)));
const anyBlockhash = (random: Random) => anyAddress(random) as string as Blockhash;
