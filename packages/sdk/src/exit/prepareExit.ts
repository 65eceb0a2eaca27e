import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  associatedTokenAddress,
  compileLegacy,
  INSTRUCTIONS,
  paidInToken,
  type RelayInstruction,
  TOKEN_ACCOUNT_RENT,
  transferLamports,
  transferTokens,
  decodeRelayInstruction,
  readTokenAccount,
  readMessage,
  readTransfer,
} from '@legwork/program-client';
import { formatAmount, formatSol, SOL } from '@legwork/protocol/contract';
import {
  AccountRole,
  type Address,
  getBase64EncodedWireTransaction,
  type Instruction,
  type Signature,
  type Transaction,
} from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';
import type { LedgerSigner } from '../signer.js';
import { readRelayTransaction } from '../transactions/readTransaction.js';
import { sayInstruction } from '../transactions/sayInstruction.js';
import { sendTransaction } from '../transactions/sendTransaction.js';
import { signWith } from '../transactions/signTransaction.js';
import { buildStep, type Signers, type StepDetails } from './buildExit.js';
import type { FoundMandate } from './discover.js';
import { ExitError } from './exitRpc.js';
import type { ExitStep } from './exitSteps.js';
import type { ExitLedger, FoundListing } from './found.js';
import { readAccounts } from './readAccounts.js';

/** A transaction of a step: unsigned, read again, and found to be that step and nothing else. */
export interface PreparedExit {
  readonly step: ExitStep;
  readonly transaction: Transaction;
  readonly lastValidBlockHeight: number;
  /** Its effect, decoded from its bytes. */
  readonly says: readonly string[];
  /** The cost to its fee payer beside stakes, lamports: fees, and the rent of token accounts that are missing. */
  readonly costLamports: bigint;
}

const FEE_PER_SIGNATURE = 5_000n;

/**
 * Builds the transaction of a step from the ledger, and reads what came out before anybody signs it: one instruction of the program, signed
 * by this key alone, that takes no more than the step says. Rule A-162.
 *
 * @param payer pays fees and rents; default: the key
 * @throws {ExitError}, {TransactionRefusedError}
 */
export async function prepareExit(
  ledger: ExitLedger,
  key: Address,
  step: ExitStep,
  {
    payer = key,
    mandates = [],
    ...details
  }: StepDetails & { payer?: Address; mandates?: readonly FoundMandate[] } = {},
): Promise<PreparedExit> {
  const { rpc, program } = ledger;
  const { instructions, listing } = await buildStep(ledger, { key, payer }, step, details, mandates);
  const token = listing?.token;
  const read = async (all: readonly Address[]) => (await readAccounts(rpc, all)).map((account) => account?.data);
  const paying = token === undefined ? instructions : await paidInToken(program, payer, token, instructions, read);
  const { value } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const bare = compileLegacy(payer, value.blockhash, paying);
  const { instruction, opened } = readStep(ledger, bare, { step, key, listing });
  const signatures = payer === key ? 1n : 2n;
  const costLamports = signatures * FEE_PER_SIGNATURE + BigInt(opened) * TOKEN_ACCOUNT_RENT;
  const bound = await boundOf(ledger, { key, payer, costLamports, listing, step }, instruction);
  const transaction = bound === undefined ? bare : compileLegacy(payer, value.blockhash, [...paying, bound]);
  requireOwnKeys(transaction, { key, payer }, paying.length, bound);
  return {
    step,
    transaction,
    lastValidBlockHeight: Number(value.lastValidBlockHeight),
    says: [...sayInstruction(instruction), ...opens(opened)],
    costLamports,
  };
}

const opens = (count: number) =>
  count === 0
    ? []
    : [
        `Opens ${count} token account${count === 1 ? '' : 's'}, for ${formatSol(BigInt(count) * TOKEN_ACCOUNT_RENT)} SOL of rent`,
      ];

/** The instructions of each step on the ledger. */
const NAMES: Readonly<Record<ExitStep['action'], readonly RelayInstruction['name'][]>> = {
  accept: ['accept'],
  take: ['accept'],
  vacate: ['vacate'],
  claim: ['claim'],
  confirm: ['confirmLeg', 'confirmTaskLeg'],
  dispute: ['dispute'],
  rule: ['rule'],
  crank: ['vacate', 'rule', 'confirmLeg', 'confirmTaskLeg'],
  cancel: ['cancelPackage', 'cancelTask'],
  reclaim: ['reclaimPackage', 'reclaimTask'],
  settle: ['settle', 'settleTask'],
  close: ['closePackage', 'closeTask'],
  collect: ['collect'],
  end: ['closeMandate'],
};

interface Meant {
  readonly step: ExitStep;
  readonly key: Address;
  readonly listing: FoundListing | undefined;
}

/** @throws {TransactionRefusedError} when it is anything else than the step */
function readStep({ program }: ExitLedger, transaction: Transaction, { step, key, listing }: Meant) {
  if (step.action === 'end' || step.action === 'collect') return readOwn(program, transaction, step, key);
  const { instruction, opened } = readRelayTransaction(transaction, program, { token: listing?.token });
  if (!NAMES[step.action].includes(instruction.name)) {
    throw new TransactionRefusedError(`a ${instruction.name} is not what ${step.action} is`);
  }
  const accounts: Readonly<Record<string, { readonly address: Address } | undefined>> = instruction.accounts;
  const { about } = INSTRUCTIONS[instruction.name];
  if (about !== null && accounts[about]?.address !== step.of) {
    throw new TransactionRefusedError(`the transaction is about ${accounts[about]?.address}, not about ${step.of}`);
  }
  return { instruction, opened };
}

/** Tokens come to an account of the key's own that may have to be opened before; nothing else stands beside the step. */
function readOwn(program: Address, transaction: Transaction, step: ExitStep, key: Address) {
  const { instructions, feePayer } = readMessage(transaction);
  const [last, ...others] = instructions.toReversed();
  const instruction = last && decodeRelayInstruction(program, last);
  const opens = others.every(
    ({ programAddress, accounts: [pays, , owner] = [] }) =>
      programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS && pays?.address === feePayer && owner?.address === key,
  );
  if (!instruction || !NAMES[step.action].includes(instruction.name) || !opens) {
    throw new TransactionRefusedError(`the transaction does not ${step.action} ${step.of} and nothing else`);
  }
  return { instruction, opened: others.length };
}

/** @throws {TransactionRefusedError} when another key has to sign, or something stands in it that was not meant */
function requireOwnKeys(
  transaction: Transaction,
  { key, payer }: Signers,
  paying: number,
  bound: Instruction | undefined,
): void {
  const stranger = Object.keys(transaction.signatures).find((signer) => signer !== key && signer !== payer);
  if (stranger !== undefined) throw new TransactionRefusedError(`${stranger} would have to sign this too`);
  const { instructions, feePayer } = readMessage(transaction);
  if (feePayer !== payer || instructions.length !== paying + (bound === undefined ? 0 : 1)) {
    throw new TransactionRefusedError('the transaction holds another thing than was meant');
  }
  const last = instructions.at(-1);
  const moved = last && readTransfer(last);
  if (moved !== undefined && (moved.from !== key || moved.to !== key)) {
    throw new TransactionRefusedError(`the transaction gives lamports to ${moved.to}`);
  }
}

interface Paying extends Signers {
  readonly step: ExitStep;
  readonly costLamports: bigint;
  readonly listing: FoundListing | undefined;
}

/**
 * Where the key posts a stake, what it keeps: a transfer to itself of all that is to be left, which fails if more was taken than the RPC said
 * that the stake is. Undefined: nothing is taken from it.
 *
 * @throws {ExitError} when the key has too little
 */
async function boundOf(
  { rpc }: ExitLedger,
  { key, payer, costLamports, listing, step }: Paying,
  { name }: RelayInstruction,
): Promise<Instruction | undefined> {
  const [wallet, paid] = await readAccounts(rpc, [key, payer]);
  if ((paid?.lamports ?? 0n) < costLamports) {
    throw new ExitError(
      `${payer} has ${formatSol(paid?.lamports ?? 0n)} SOL, and this takes ${formatSol(costLamports)} SOL for fees and rents: send it some, or have another key pay`,
    );
  }
  const stake = listing && stakeOf(listing, step);
  if (INSTRUCTIONS[name].deposits === null || stake === undefined || listing === undefined) return undefined;
  if (listing.token === undefined) {
    const left = (wallet?.lamports ?? 0n) - stake - (payer === key ? costLamports : 0n);
    if (left < 0n) throw new ExitError(`${key} has too little SOL for the stake of ${formatAmount(stake, SOL)}`);
    return transferLamports(key, key, left);
  }
  const [purse] = await readAccounts(rpc, [await associatedTokenAddress(key, listing.token.mint)]);
  const left = (purse === undefined ? 0n : readTokenAccount(purse.data).amount) - stake;
  if (left < 0n) throw new ExitError(`${key} has too little for the stake of ${formatAmount(stake, listing.asset)}`);
  return transferTokens({ address: key, role: AccountRole.WRITABLE_SIGNER }, key, listing.token.mint, left);
}

/** The stake that the key posts by a step that may post one, or undefined without terms. A courier that picks up an accepted leg posted it then. */
function stakeOf({ legs, terms }: FoundListing, { action, legIndex }: ExitStep): bigint | undefined {
  const isPosted = action === 'take' && legs.find(({ index }) => index === legIndex)?.stage !== 'pending';
  return isPosted ? 0n : terms?.stake;
}

/** Signs a prepared transaction and sends it. @returns its signature, once the ledger has confirmed it @throws {LedgerRefusedError} */
export async function sendExit(
  { rpc }: ExitLedger,
  { transaction, lastValidBlockHeight }: PreparedExit,
  signers: readonly LedgerSigner[],
): Promise<Signature> {
  const signed = await signWith(signers, transaction);
  return sendTransaction(rpc, getBase64EncodedWireTransaction(signed), lastValidBlockHeight);
}
