import { decodeRelayInstruction } from '@legwork/program-client';
import { formatSol } from '@legwork/protocol/contract';
import { AccountRole, getBase58Encoder, isAddress, type Address } from '@solana/kit';
import type { ShownInstruction } from './transaction.js';

/** Programs that everybody uses, by what they are called. */
const NAMES: Readonly<Record<string, string>> = {
  '11111111111111111111111111111111': 'System',
  AddressLookupTab1e1111111111111111111111111: 'Lookup tables',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'Associated token',
  BPFLoader1111111111111111111111111111111111: 'Loader (first)',
  BPFLoader2111111111111111111111111111111111: 'Loader (second)',
  BPFLoaderUpgradeab1e11111111111111111111111: 'Loader',
  ComputeBudget111111111111111111111111111111: 'Compute budget',
  Config1111111111111111111111111111111111111: 'Config',
  Ed25519SigVerify111111111111111111111111111: 'Ed25519 check',
  KeccakSecp256k11111111111111111111111111111: 'Secp256k1 check',
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: 'Memo (first)',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'Memo',
  Secp256r1SigVerify1111111111111111111111111: 'Secp256r1 check',
  Stake11111111111111111111111111111111111111: 'Stake',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'Token',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'Token-2022',
  Vote111111111111111111111111111111111111111: 'Vote',
};

/** The name of a program; its address when it has no name that everybody knows. @param relay the relay program's address */
export function programName(address: string, relay: string | undefined): string {
  if (address === relay) return 'Relay';
  return Object.hasOwn(NAMES, address) ? (NAMES[address] ?? address) : address;
}

/** An instruction in words: program and name, and what it was given. */
interface DescribedInstruction {
  readonly title: string;
  readonly fields: readonly Field[];
}

type Field = readonly [name: string, value: string];

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
/** Data of a program that nobody here can read is shown up to this many characters. */
const MAX_DATA = 200;

/** @param relay the relay program's address, if it is known */
export function describeInstruction(instruction: ShownInstruction, relay: Address | undefined): DescribedInstruction {
  const program = programName(instruction.programId, relay);
  const { parsed, accounts = [], data = '' } = instruction;
  if (typeof parsed === 'string') return { title: program, fields: [['text', parsed]] };
  if (isRecord(parsed)) {
    return { title: `${program}: ${String(parsed['type'])}`, fields: fieldsOf(parsed['info'] ?? {}) };
  }
  const bytes = bytesOf(data);
  const known =
    instruction.programId === relay
      ? relayInstruction(relay, accounts, bytes)
      : instruction.programId === COMPUTE_BUDGET
        ? computeBudget(bytes)
        : undefined;
  if (known !== undefined) return { title: `${program}: ${known.title}`, fields: known.fields };
  const shortened = data.length > MAX_DATA ? `${data.slice(0, MAX_DATA)}… (${bytes.length} bytes)` : data;
  const listed = accounts.map((one, at): Field => [`account ${at + 1}`, one]);
  return { title: program, fields: [...listed, ...(data === '' ? [] : [['data', shortened] as const])] };
}

function relayInstruction(
  relay: Address,
  accounts: readonly string[],
  data: Uint8Array,
): DescribedInstruction | undefined {
  // Signers and writable accounts are the whole transaction's; the meaning of the instruction does not depend on them.
  const metas = accounts.filter(isAddress).map((one) => ({ address: one, role: AccountRole.READONLY }));
  const decoded = decodeRelayInstruction(relay, { programAddress: relay, accounts: metas, data });
  if (decoded === undefined) return undefined;
  const { name, programAddress: _, accounts: named, data: given, ...trailing } = decoded;
  const { discriminator: __, ...rest } = given as Readonly<Record<string, unknown>>;
  return { title: name, fields: [...fieldsOf(named), ...fieldsOf(rest), ...fieldsOf(trailing)] };
}

/** The demands of an instruction to the compute budget. Nodes show it as it is. */
function computeBudget(bytes: Uint8Array): DescribedInstruction | undefined {
  const data = Buffer.from(bytes);
  const u32 = () => data.readUInt32LE(1).toLocaleString('en');
  if (data.length === 5 && data[0] === 1) return { title: 'heap', fields: [['bytes', u32()]] };
  if (data.length === 5 && data[0] === 2) return { title: 'limit', fields: [['units', u32()]] };
  if (data.length === 9 && data[0] === 3) {
    return { title: 'price', fields: [['each unit', `${data.readBigUInt64LE(1)} millionths of a lamport`]] };
  }
  return data.length === 5 && data[0] === 4 ? { title: 'loaded data', fields: [['bytes', u32()]] } : undefined;
}

function fieldsOf(value: unknown, name = ''): Field[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one, at) => fieldsOf(one, `${name} ${at + 1}`));
  if (!isRecord(value)) return [[name, textOf(value, name)]];
  // An account of an instruction: the role is in the list of accounts.
  if (typeof value['address'] === 'string' && 'role' in value) return [[name, value['address']]];
  if (value['__option'] === 'None') return [[name, 'none']];
  if (value['__option'] === 'Some') return fieldsOf(value['value'], name);
  return Object.entries(value).flatMap(([field, one]) => fieldsOf(one, name === '' ? field : `${name}.${field}`));
}

function textOf(value: unknown, name: string): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  const isLamports = typeof value === 'bigint' && /lamports$/i.test(name);
  return isLamports ? `${value} (${formatSol(value)} SOL)` : String(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

function bytesOf(data: string): Uint8Array {
  try {
    return Uint8Array.from(getBase58Encoder().encode(data));
  } catch {
    return new Uint8Array();
  }
}
