import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  decodeRelayInstruction,
  INSTRUCTIONS,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  readReason,
  readSignedText,
  readTransfer,
  withoutTokens,
} from '@legwork/program-client';
import type { RelayInstruction, SignedText } from '@legwork/program-client';
import {
  address,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getInstructionsFromCompiledTransactionMessage,
  getSignatureFromTransaction,
  getTransactionDecoder,
  getU32Decoder,
  getU64Decoder,
} from '@solana/kit';
import type { Address, Instruction, Signature, Transaction } from '@solana/kit';
import type { PaidToken } from '../assets.js';
import { OtherAssetError, TransactionRefusedError } from '../errors.js';

/** Which transaction is meant: one instruction of one program. */
export interface ExpectedInstruction<Name extends RelayInstruction['name'] = RelayInstruction['name']> {
  /** Id of the relay program, as the service's configuration gives it. */
  readonly programId: string;
  /** The instruction's name in the IDL, for example `confirmLeg`. */
  readonly name: Name;
  /** The token that the wallet pays in; left out: SOL. */
  readonly token?: PaidToken | undefined;
  /** The key that may lend the funder of a listing its rent: it pays the fee, and is not this wallet. Left out: nobody. */
  readonly lender?: Address | undefined;
}

/** An unsigned transaction that holds what was expected and nothing else. */
export interface ReadTransaction<Name extends RelayInstruction['name']> {
  readonly transaction: Transaction;
  /** The block after which it lives for about a minute. */
  readonly blockhash: string;
  readonly feePayer: Address;
  /** Its offer on top of the base fee, lamports. */
  readonly priorityFeeLamports: bigint;
  /** The wallets that have to sign, the fee payer among them. */
  readonly signers: readonly Address[];
  /** The one instruction of the program, decoded. */
  readonly instruction: Extract<RelayInstruction, { name: Name }>;
  /** The same as it stands in the transaction, without the accounts of tokens. */
  readonly encoded: Instruction;
  /** How many token accounts the fee payer pays the rent of. */
  readonly opened: number;
  /** The fee payer's loan to the funder for rents, lamports. */
  readonly lentLamports: bigint;
  /** The text that stands in for somebody's signature, in the instruction just before it. The ledger verifies it. Rule P-105. */
  readonly signedText: SignedText | undefined;
  /** The sha256 that a ruling names as its reason, in hex. Rule T-113. */
  readonly reasonHash: string | undefined;
}

/**
 * Reads a transaction that the service built and makes sure it is as asked: the named instruction of the named
 * program, once, beside compute-budget instructions, the signed text of its handoff and the reason of a ruling only,
 * no lookup tables, and a bounded fee. A transaction that moves a token may also open the accounts that it goes to.
 *
 * @param base64 the wire transaction
 * @throws {TransactionRefusedError} when it is anything else
 */
export function readTransaction<Name extends RelayInstruction['name']>(
  base64: string,
  { programId, name, token }: ExpectedInstruction<Name>,
): ReadTransaction<Name> {
  const read = readSole(decodeWire(base64), { programId, token }, name);
  const { instruction } = read;
  if (!isNamed(instruction, name)) throw unexpected(name, programId, instruction.name);
  return { ...read, instruction };
}

/**
 * As {@link readTransaction}, for any one instruction of the program: what a wallet looks at that signs whatever is asked
 * within its limits.
 *
 * @throws {TransactionRefusedError} when it holds anything else
 */
export function readRelayTransaction(
  transaction: Transaction,
  programId: string,
  allowed: Omit<Allowed, 'programId'> = {},
): ReadTransaction<RelayInstruction['name']> {
  return readSole(transaction, { programId, ...allowed }, 'one instruction');
}

type Allowed = Omit<ExpectedInstruction, 'name'>;

function readSole(
  transaction: Transaction,
  allowed: Allowed,
  wanted: string,
): ReadTransaction<RelayInstruction['name']> {
  const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  if ('addressTableLookups' in compiled && compiled.addressTableLookups !== undefined) {
    throw new TransactionRefusedError('the transaction hides accounts behind lookup tables');
  }
  // Its fee stands elsewhere than in instructions.
  if (compiled.version === 1) throw new TransactionRefusedError('a transaction of version 1 is not read here');
  const instructions = getInstructionsFromCompiledTransactionMessage(compiled);
  const feePayer = feePayerOf(compiled.staticAccounts);
  const opened = instructions.flatMap((one) => openedBy(one, feePayer) ?? []);
  const loans = feePayer === allowed.lender ? instructions.flatMap((one) => loanIn(one, feePayer) ?? []) : [];
  const others = instructions.filter(
    (one) => openedBy(one, feePayer) === undefined && (loans.length !== 1 || loanIn(one, feePayer) === undefined),
  );
  const { instruction, encoded, signedText, reasonHash } = soleInstruction(others, allowed, wanted);
  requireBorrower(instruction, loans);
  requireToken(instruction, allowed.token, opened);
  const priorityFee = priorityFeeLamports(instructions);
  if (priorityFee > MAX_PRIORITY_FEE_LAMPORTS) {
    throw new TransactionRefusedError(
      `the transaction offers a priority fee of ${priorityFee} lamports; at most ${MAX_PRIORITY_FEE_LAMPORTS} are accepted`,
    );
  }
  return {
    transaction,
    blockhash: compiled.lifetimeToken,
    priorityFeeLamports: priorityFee,
    feePayer,
    signers: Object.keys(transaction.signatures).map((signer) => address(signer)),
    instruction,
    encoded,
    opened: opened.length,
    lentLamports: loans.reduce((sum, { lamports }) => sum + lamports, 0n),
    signedText,
    reasonHash,
  };
}

/** The transfer of an instruction from the fee payer to another, or undefined if it is none. */
function loanIn(instruction: Instruction, feePayer: Address) {
  const transfer = readTransfer(instruction);
  return transfer?.from === feePayer && transfer.to !== feePayer ? transfer : undefined;
}

/** @throws {TransactionRefusedError} when something is lent to anybody but the funder of a listing */
function requireBorrower({ name, accounts }: RelayInstruction, [loan]: readonly { readonly to: Address }[]): void {
  if (loan === undefined || ('funder' in accounts && accounts.funder.address === loan.to)) return;
  throw new TransactionRefusedError(`the transaction lends ${loan.to} something, which ${name} takes from nobody`);
}

/** Opens nothing where there is one already. */
const OPEN_IDEMPOTENT = 1;

/** The accounts that an instruction opens for tokens, at the fee payer's expense; undefined: it is another one. */
function openedBy({ programAddress, accounts = [], data = new Uint8Array() }: Instruction, feePayer: Address) {
  const isOpening =
    programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS &&
    accounts[0]?.address === feePayer &&
    data.length === 1 &&
    data[0] === OPEN_IDEMPOTENT;
  return isOpening ? accounts[1]?.address : undefined;
}

/**
 * The ledger sees to it that a listing's own token is moved, to those
 * that its own state names. A wallet has to know how much leaves it.
 *
 * @throws {TransactionRefusedError} when the signer would pay in another asset than was expected, or open accounts of others
 */
function requireToken(
  { name, tokens }: RelayInstruction,
  token: PaidToken | undefined,
  opened: readonly Address[],
): void {
  const parties = tokens === undefined ? [] : [tokens.vault, ...tokens.parties];
  const stranger = opened.find((account) => !parties.includes(account));
  if (stranger !== undefined) {
    throw new TransactionRefusedError(`the transaction opens ${stranger}, which ${name} does not pay`);
  }
  if (INSTRUCTIONS[name].deposits === null || tokens?.asset === token?.account) return;
  const nameOf = (asset: Address | undefined) => (asset === undefined ? 'SOL' : `the token of asset ${asset}`);
  throw new OtherAssetError(`${name} pays in ${nameOf(tokens?.asset)}, and not in ${nameOf(token?.account)}`);
}

function feePayerOf([first]: readonly Address[]): Address {
  if (first === undefined) throw new TransactionRefusedError('the transaction has no accounts');
  return first;
}

function soleInstruction(instructions: readonly Instruction[], { programId }: Allowed, wanted: string) {
  const others = instructions.filter(({ programAddress }) => programAddress !== COMPUTE_BUDGET_PROGRAM);
  const signedText = signedTextOf(instructions, others);
  const [first, ...extra] = signedText === undefined ? others : others.slice(1);
  const decoded = first && decodeRelayInstruction(address(programId), first);
  const [behind] = extra;
  const reasonHash = behind && decoded?.name === 'rule' ? readReason(behind) : undefined;
  if (first === undefined || decoded === undefined || extra.length > (reasonHash ? 1 : 0)) {
    const found = others.map((other) => describe(other, programId)).join(', ') || 'no instruction';
    throw unexpected(wanted, programId, found);
  }
  return { instruction: decoded, encoded: withoutTokens(first, decoded), signedText, reasonHash };
}

/** Just before the instruction that shows the sysvar of instructions; anywhere else a text is one instruction too many. */
function signedTextOf(all: readonly Instruction[], [proof, told]: readonly Instruction[]): SignedText | undefined {
  if (proof === undefined || told === undefined || all.indexOf(told) !== all.indexOf(proof) + 1) return undefined;
  return told.accounts?.at(-1)?.address === INSTRUCTIONS_SYSVAR_ADDRESS ? readSignedText(proof) : undefined;
}

function unexpected(wanted: string, programId: string, found: string): TransactionRefusedError {
  return new TransactionRefusedError(
    `expected ${wanted} of program ${programId} and nothing else, but the transaction holds ${found}`,
  );
}

function isNamed<Name extends RelayInstruction['name']>(
  instruction: RelayInstruction | undefined,
  name: Name,
): instruction is Extract<RelayInstruction, { name: Name }> {
  return instruction?.name === name;
}

function describe(instruction: Instruction, programId: string): string {
  const name = decodeRelayInstruction(address(programId), instruction)?.name;
  return name ?? `an instruction of program ${instruction.programAddress}`;
}

/** Reads a wire transaction. @throws {TransactionRefusedError} when the text is not one in base64 */
export function decodeWire(base64: string): Transaction {
  try {
    return getTransactionDecoder().decode(getBase64Encoder().encode(base64));
  } catch (cause) {
    throw new TransactionRefusedError('this is not a transaction in base64', { cause });
  }
}

/** The signature by which the ledger knows a signed wire transaction. */
export function signatureOf(base64: string): Signature {
  return getSignatureFromTransaction(decodeWire(base64));
}

/** The program whose instructions set what a transaction may use and what it offers for it. */
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';

/** The most a transaction may offer on top of the base fee: 0.001 SOL. A larger offer would empty a wallet by fees. */
export const MAX_PRIORITY_FEE_LAMPORTS = 1_000_000n;

const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;
const MAX_COMPUTE_UNITS = 1_400_000;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;

/** The most the instructions can cost on top of the base fee, lamports: price times limit, rounded up. */
export function priorityFeeLamports(instructions: readonly Instruction[]): bigint {
  let units = MAX_COMPUTE_UNITS;
  let price = 0n;
  for (const { programAddress, data = new Uint8Array() } of instructions) {
    if (programAddress !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data[0] === SET_COMPUTE_UNIT_LIMIT && data.length === 5) units = getU32Decoder().decode(data, 1);
    if (data[0] === SET_COMPUTE_UNIT_PRICE && data.length === 9) price = getU64Decoder().decode(data, 1);
  }
  return (
    (price * BigInt(Math.min(units, MAX_COMPUTE_UNITS)) + MICROLAMPORTS_PER_LAMPORT - 1n) / MICROLAMPORTS_PER_LAMPORT
  );
}
