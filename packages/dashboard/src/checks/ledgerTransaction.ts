import { decodeRelayInstruction, type RelayInstruction } from '@legwork/program-client';
import { isSignedBy } from '@legwork/protocol/contract';
import {
  type AccountMeta,
  type Address,
  address,
  decodeTransactionFromRpcResponse,
  getAccountMetasFromCompiledTransactionMessage,
  getSignatureFromTransaction,
  MAX_SUPPORTED_TRANSACTION_VERSION,
  type TracedInstruction,
  type Transaction,
  walkInstructions,
} from '@solana/kit';
import { z } from 'zod';
import { t } from '../language.js';

/** The newest version that is understood here; a node refuses to show a newer one to who asks like this. */
export const NEWEST_VERSION = MAX_SUPPORTED_TRANSACTION_VERSION;

/** A transaction as the ledger has it: its bytes are signed, the rest is the word of the node that was asked. */
export interface LedgerTransaction {
  readonly signature: string;
  readonly slot: bigint;
  /** When its block was made; undefined: the node does not say. */
  readonly at: Date | undefined;
  readonly feeLamports: bigint;
  /** Why it failed, as the node says it; undefined: it did not. A failed one moves its fee and nothing else. */
  readonly error: unknown;
  /** Whose signatures it bears, each verified; the first one pays the fee. */
  readonly signers: readonly Address[];
  /** In the order they ran. */
  readonly instructions: readonly LedgerInstruction[];
  /** The accounts it names, with what they held before and after it. */
  readonly balances: readonly Balance[];
  /** The token accounts among them, with what they held. */
  readonly tokens: readonly TokenBalance[];
  readonly log: readonly string[];
}

export interface LedgerInstruction {
  readonly program: Address;
  readonly accounts: readonly AccountMeta[];
  readonly data: Uint8Array;
  /** 1: in the transaction itself; 2 and more: called by the one before it that is one less deep. */
  readonly depth: number;
  /** What it is, when it is the relay program's. */
  readonly relay: RelayInstruction | undefined;
}

export interface Balance {
  readonly account: Address;
  readonly before: bigint;
  readonly after: bigint;
}

export interface TokenBalance extends Balance {
  readonly mint: string;
  /** Undefined: the node does not say. */
  readonly owner: string | undefined;
}

const U64_MAX = 2n ** 64n - 1n;
const u64 = z.bigint().min(0n).max(U64_MAX);
/** Seconds that a Date can hold. */
const unixTime = z.bigint().min(-8_640_000_000_000n).max(8_640_000_000_000n);
const index = z.int().min(0).max(255);
const keys = z.array(z.string());

const tokenBalances = z
  .array(
    z.object({
      accountIndex: index,
      mint: z.string(),
      owner: z.string().optional(),
      uiTokenAmount: z.object({ amount: z.string().regex(/^\d{1,20}$/) }),
    }),
  )
  .nullish();

/** What a node has to say of a transaction. It may be wrong, or lie: what is not of this form is not understood. */
const shown = z.object({
  slot: u64,
  blockTime: unixTime.nullish(),
  version: z.union([z.literal('legacy'), z.int().min(0).max(NEWEST_VERSION)]),
  transaction: z.tuple([z.string(), z.literal('base64')]),
  meta: z.object({
    err: z.unknown(),
    fee: u64,
    preBalances: z.array(u64),
    postBalances: z.array(u64),
    preTokenBalances: tokenBalances,
    postTokenBalances: tokenBalances,
    loadedAddresses: z.object({ writable: keys, readonly: keys }).nullish(),
    innerInstructions: z
      .array(
        z.object({
          index,
          instructions: z.array(
            z.object({
              accounts: z.array(index),
              data: z.string(),
              programIdIndex: index,
              stackHeight: z.int().min(1).max(64).nullish(),
            }),
          ),
        }),
      )
      .nullish(),
    logMessages: z.array(z.string()).nullish(),
  }),
});
type Shown = z.output<typeof shown>;

/** What a node says of a transaction does not fit together, or not to what was asked for. */
export class UnreadableTransactionError extends Error {
  override readonly name = 'UnreadableTransactionError';
}

/**
 * Reads what a node answered to `getTransaction`. The signatures are verified here, so who signed what is not the node's
 * word; what an account held is, and has to add up.
 *
 * @param answer with encoding `base64`, as kit's RPC gives it
 * @throws {UnreadableTransactionError} when it is another transaction, or fits nothing that a ledger could say
 */
export function readLedgerTransaction(programId: string, signature: string, answer: unknown): LedgerTransaction {
  const parsed = shown.safeParse(answer);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.');
    throw new UnreadableTransactionError(
      where
        ? t('The node shows it in an unknown form: {where}.', { where })
        : t('The node shows it in an unknown form.'),
    );
  }
  const { slot, blockTime, meta } = parsed.data;
  const { signers, accounts, instructions } = readSigned(programId, signature, parsed.data);
  return {
    signature,
    slot,
    at: blockTime == null ? undefined : new Date(Number(blockTime) * 1000),
    feeLamports: meta.fee,
    error: meta.err ?? undefined,
    signers,
    instructions,
    balances: balancesOf(accounts, meta),
    tokens: tokensOf(accounts, meta),
    log: meta.logMessages ?? [],
  };
}

function readSigned(programId: string, signature: string, { transaction, version, meta }: Shown) {
  const loaded = meta.loadedAddresses ?? { writable: [], readonly: [] };
  try {
    const decoded = decodeTransactionFromRpcResponse({
      transaction: transaction as never,
      version: version as never,
      meta: { loadedAddresses: loaded },
    });
    const { compiledMessage, transaction: sent } = decoded;
    const loadedAddresses = { writable: loaded.writable.map(address), readonly: loaded.readonly.map(address) };
    const given = { compiledMessage, loadedAddresses, meta: meta as never };
    return {
      signers: verifiedSigners(signature, sent),
      accounts: getAccountMetasFromCompiledTransactionMessage(compiledMessage, loadedAddresses),
      instructions: walkInstructions(given).map((instruction) => readInstruction(programId, instruction)),
    };
  } catch (error) {
    if (error instanceof UnreadableTransactionError) throw error;
    throw new UnreadableTransactionError(t('The bytes that the node shows are not a transaction.'), { cause: error });
  }
}

/** @throws {UnreadableTransactionError} when it is another transaction, or a signature is not of its key */
function verifiedSigners(signature: string, sent: Transaction): Address[] {
  if (getSignatureFromTransaction(sent) !== signature) {
    throw new UnreadableTransactionError(t('The node shows another transaction than this one.'));
  }
  const message = Uint8Array.from(sent.messageBytes);
  return Object.entries(sent.signatures).map(([signer, bytes]) => {
    if (bytes === null || !isSignedBy(signer, Uint8Array.from(bytes), message)) {
      throw new UnreadableTransactionError(t('The node shows bytes that {signer} has not signed.', { signer }));
    }
    return address(signer);
  });
}

function readInstruction(programId: string, instruction: TracedInstruction): LedgerInstruction {
  const { trace, programAddress, accounts = [], data } = instruction;
  return {
    program: address(programAddress),
    accounts,
    data: Uint8Array.from(data ?? []),
    depth: trace.kind === 'outer' ? 1 : (trace.stackHeight ?? 2),
    relay: decodeRelayInstruction(address(programId), instruction),
  };
}

/** @throws {UnreadableTransactionError} when lamports come from nowhere or are lost: no transaction does that */
function balancesOf(accounts: readonly AccountMeta[], { preBalances, postBalances, fee }: Shown['meta']): Balance[] {
  const sum = (parts: readonly bigint[]) => parts.reduce((total, part) => total + part, 0n);
  const isWhole = preBalances.length === accounts.length && postBalances.length === accounts.length;
  if (!isWhole || sum(preBalances) !== sum(postBalances) + fee) {
    throw new UnreadableTransactionError(t('The balances that the node shows do not add up.'));
  }
  return accounts.map((account, at) => ({
    account: account.address,
    before: preBalances[at] ?? 0n,
    after: postBalances[at] ?? 0n,
  }));
}

/** Of each token account what it held before and after; one that was not there held nothing. */
function tokensOf(accounts: readonly AccountMeta[], meta: Shown['meta']): TokenBalance[] {
  const [before, after] = [meta.preTokenBalances ?? [], meta.postTokenBalances ?? []];
  const named = new Map([...before, ...after].map((one) => [`${one.accountIndex} ${one.mint} ${one.owner}`, one]));
  return [...named.values()].flatMap(({ accountIndex, mint, owner }) => {
    const held = (list: typeof before) =>
      list.find((one) => one.accountIndex === accountIndex && one.mint === mint && one.owner === owner);
    const amount = (list: typeof before) => BigInt(held(list)?.uiTokenAmount.amount ?? 0);
    const account = accounts[accountIndex]?.address;
    return account === undefined ? [] : [{ account, mint, owner, before: amount(before), after: amount(after) }];
  });
}
