import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  decodeRelayInstruction,
  ED25519_PROGRAM_ADDRESS,
  INSTRUCTIONS,
  isSignedText,
  readMessage,
  readReason,
  readTransfer,
  readSignedText,
  type ReadMessage,
  type RelayInstruction,
  type SignedText,
} from '@legwork/program-client';
import { LegworkError } from '@legwork/protocol/contract';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  type Address,
  address,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  getU32Decoder,
  getU64Decoder,
  type Instruction,
  type Transaction,
  verifySignature,
} from '@solana/kit';
import type { Ledger } from '../ledger/ledger.js';

/** A transaction that is to be paid for, taken apart; of its form, and of nothing else, it is known that it can be. */
export interface Relayed {
  transaction: Transaction;
  blockhash: ReadMessage['blockhash'];
  /** The instructions to the compute budget, which come first. */
  budget: readonly Instruction[];
  /** The one instruction of the program. */
  instruction: RelayInstruction;
  /** The text that stands in for somebody's signature. */
  signedText: SignedText | undefined;
  /** The sha256 that a ruling names as its reason, in hex. */
  reasonHash: string | undefined;
  /** Token accounts that it creates, unless they are there. */
  tokenAccounts: number;
  /** The lamports it gives to the funder of the listing that it makes. */
  lends: bigint;
  /** The keys that have signed. */
  signers: readonly Address[];
  /** Of all its signatures, and for priority, lamports. */
  fee: bigint;
}

/** Of one signature, of a wallet or of a text. */
const SIGNATURE_LAMPORTS = 5_000n;
/** For priority, as much again as one signature costs. */
const MOST_PRIORITY_LAMPORTS = 5_000n;
/** The coordinator, and two sides that agree. */
const MOST_SIGNERS = 3;
/** The rest of a budget that no builder sets. */
const MOST_UNITS = 1_400_000;
const MICROLAMPORTS = 1_000_000n;

/** `wrong_transaction`, with what is wrong. */
export function refused(message: string): LegworkError {
  return LegworkError.field('wrong_transaction', 'transaction', message);
}

/**
 * Reads a transaction whose fee the coordinator is to pay, and refuses what no builder of the service makes. Its signature counts in every
 * instruction that names it, so it is named only where it pays or receives. Neither ledger nor database is asked. Rule M-97.
 *
 * @throws LegworkError `wrong_transaction` that names what is one too many, unknown, or missing
 */
export async function readRelayed(ledger: Ledger, base64: string): Promise<Relayed> {
  const transaction = readable(() => getTransactionDecoder().decode(getBase64Encoder().encode(base64)));
  const { version } = readable(() => getCompiledTransactionMessageDecoder().decode(transaction.messageBytes));
  if (version !== 'legacy') {
    throw refused(`is of version ${String(version)}, which may take accounts from lookup tables: send a legacy one`);
  }
  const { instructions, feePayer, blockhash } = readable(() => readMessage(transaction));
  const signers = await requireSigners(ledger, transaction, feePayer);
  const budget = instructions.filter(({ programAddress }) => programAddress === COMPUTE_BUDGET_PROGRAM_ADDRESS);
  const priority = priorityOf(instructions, budget);
  const found = readInstructions(ledger, instructions.slice(budget.length));
  if (found.signedText !== undefined && !(await isSignedText(found.signedText))) {
    throw refused(`holds a text that ${found.signedText.signer} has not signed`);
  }
  const signatures = 1 + signers.length + (found.signedText === undefined ? 0 : 1);
  return { transaction, blockhash, budget, ...found, signers, fee: SIGNATURE_LAMPORTS * BigInt(signatures) + priority };
}

/** Reads bytes from outside; a codec's own error about them would not help their sender. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw refused('is no transaction: send the one that was built for you, signed by all but its fee payer, in base64');
  }
}

/** The coordinator pays and has not signed; everybody else has, and rightly. */
async function requireSigners(
  { coordinator }: Ledger,
  transaction: Transaction,
  feePayer: Address,
): Promise<readonly Address[]> {
  if (feePayer !== coordinator.address) {
    throw refused(`has ${feePayer} as its fee payer: only one that ${coordinator.address} pays for is completed`);
  }
  const { [coordinator.address]: own, ...others } = transaction.signatures;
  if (own !== null) throw refused(`has a signature in the place of ${coordinator.address}, which signs last`);
  const signers = Object.entries(others).map(([signer, signature]) => [address(signer), signature] as const);
  if (signers.length >= MOST_SIGNERS) {
    throw refused(`names ${signers.length + 1} signers; no transaction of this service has more than ${MOST_SIGNERS}`);
  }
  for (const [signer, signature] of signers) {
    if (signature === null) throw refused(`is not signed by ${signer}`);
    const key = await getPublicKeyFromAddress(signer).catch(() => undefined);
    const isRight = key !== undefined && (await verifySignature(key, signature, transaction.messageBytes));
    if (!isRight) throw refused(`is not rightly signed by ${signer}`);
  }
  return signers.map(([signer]) => signer);
}

/** @throws LegworkError `wrong_transaction` unless the budget comes first, says each thing once, and offers little */
function priorityOf(instructions: readonly Instruction[], budget: readonly Instruction[]): bigint {
  if (budget.some((one, index) => instructions[index] !== one)) {
    throw refused('sets its compute budget behind other instructions: it comes first');
  }
  let [units, price]: [number | undefined, bigint | undefined] = [undefined, undefined];
  for (const { data = new Uint8Array(), accounts = [] } of budget) {
    if (data[0] === 2 && data.length === 5 && accounts.length === 0 && units === undefined) {
      units = getU32Decoder().decode(data, 1);
    } else if (data[0] === 3 && data.length === 9 && accounts.length === 0 && price === undefined) {
      price = getU64Decoder().decode(data, 1);
    } else {
      throw refused('sets more of its compute budget than a limit of units and their price, each once');
    }
  }
  const paid = BigInt(Math.min(units ?? MOST_UNITS, MOST_UNITS)) * (price ?? 0n);
  const priority = (paid + MICROLAMPORTS - 1n) / MICROLAMPORTS;
  if (priority > MOST_PRIORITY_LAMPORTS) {
    throw refused(
      `offers ${priority} lamports for priority; at most ${MOST_PRIORITY_LAMPORTS} are paid for it: its fee is too high`,
    );
  }
  return priority;
}

type Found = Pick<Relayed, 'instruction' | 'signedText' | 'reasonHash' | 'tokenAccounts' | 'lends'>;

const LISTING: ReadonlySet<string> = new Set(['listPackage', 'listTask']);

/** Creations of token accounts, then one instruction of the program, with the signed text just before it that it may need, or its reason behind it. */
function readInstructions({ coordinator, programAddress }: Ledger, all: readonly Instruction[]): Found {
  const rest = [...all];
  let tokenAccounts = 0;
  while (rest[0]?.programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS) {
    requireCreation(rest[0], coordinator.address);
    rest.shift();
    tokenAccounts += 1;
  }
  const [maybe, listing] = rest;
  const made = listing && decodeRelayInstruction(programAddress, listing);
  const given = made && LISTING.has(made.name) && maybe ? readTransfer(maybe) : undefined;
  if (given !== undefined) rest.shift();
  const signedText = rest[0]?.programAddress === ED25519_PROGRAM_ADDRESS ? readSignedText(rest[0]) : undefined;
  if (signedText !== undefined) rest.shift();
  const [own, extra, more] = rest;
  if (own === undefined) throw refused('holds no instruction of the program');
  const instruction = own.programAddress === programAddress && decodeRelayInstruction(programAddress, own);
  if (!instruction)
    throw refused(`holds ${describe(own, programAddress)}, which no transaction of this service has there`);
  const reasonHash = extra && instruction.name === 'rule' ? readReason(extra) : undefined;
  const tooMany = reasonHash === undefined ? extra : more;
  if (tooMany !== undefined) {
    throw refused(`holds one instruction too many: ${describe(tooMany, programAddress)} behind ${instruction.name}`);
  }
  requireReceivingOnly(instruction, own, coordinator.address);
  return { instruction, signedText, reasonHash, tokenAccounts, lends: given?.lamports ?? 0n };
}

/** Idempotent, in the form that has its rent paid by the coordinator. */
function requireCreation({ accounts = [], data = new Uint8Array() }: Instruction, coordinator: Address): void {
  const isIdempotent = data.length === 1 && data[0] === 1;
  const [payer, , ...others] = accounts.map(({ address }) => address);
  if (!isIdempotent || payer !== coordinator || others.includes(coordinator)) {
    throw refused(`creates a token account in another way than idempotently, at the cost of ${coordinator}`);
  }
}

/** Instructions that only give to their funder, and to who paid a rent. */
const GIVING: ReadonlySet<string> = new Set([
  'cancelPackage',
  'reclaimPackage',
  'closePackage',
  'cancelTask',
  'reclaimTask',
  'closeTask',
]);
const RECEIVING: ReadonlySet<string> = new Set(['funder', 'rentPayer']);

/** Its signature counts wherever it is named: it may only be named where it receives what it paid. */
function requireReceivingOnly(instruction: RelayInstruction, encoded: Instruction, coordinator: Address): void {
  const { name, accounts } = instruction;
  if (INSTRUCTIONS[name].about === null) {
    throw refused(`holds ${name}, which is about no listing: its sender pays for that`);
  }
  let receiving = 0;
  for (const [place, account] of Object.entries(accounts)) {
    if (account?.address !== coordinator) continue;
    if (!GIVING.has(name) || !RECEIVING.has(place)) {
      throw refused(`names ${coordinator} as the ${place} of ${name}, where its signature would count`);
    }
    receiving += 1;
  }
  if (name === 'reclaimTask')
    receiving += instruction.legs.filter((one) => one.rentPayer.address === coordinator).length;
  const named = encoded.accounts?.filter(({ address }) => address === coordinator).length ?? 0;
  if (named > receiving) throw refused(`names ${coordinator} in a list of ${name}, where its signature would count`);
}

const NONCE_ADVANCE = 4;

function describe({ programAddress, data = new Uint8Array() }: Instruction, own: Address): string {
  if (programAddress === SYSTEM_PROGRAM_ADDRESS) {
    return data[0] === NONCE_ADVANCE ? 'a nonce in place of a blockhash' : 'an instruction of the system program';
  }
  if (programAddress === own) return 'an instruction of the program that it would refuse';
  return `an instruction of program ${programAddress}`;
}
