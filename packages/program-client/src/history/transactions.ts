import {
  type AccountMeta,
  address,
  type Address,
  decodeTransactionFromRpcResponse,
  getAccountMetasFromCompiledTransactionMessage,
  getSignatureFromTransaction,
  getTransactionEncoder,
  type GetSignaturesForAddressApi,
  type GetTransactionApi,
  type GetTransactionApiResponseBase64,
  isSolanaError,
  MAX_SUPPORTED_TRANSACTION_VERSION,
  type ReadonlyUint8Array,
  type Rpc,
  type Signature,
  signature as toSignature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
  type TransactionError,
  type TransactionVersion,
  walkInstructions,
} from '@solana/kit';
import { decodeRelayInstruction, type RelayInstruction } from '../decodeRelayInstruction.js';
import { readReason } from '../ruling.js';
import { ask, type ReadLedger } from './ask.js';

/** Signatures a page; a node gives no more at once. */
const PAGE = 1000;

type Page = ReturnType<GetSignaturesForAddressApi['getSignaturesForAddress']>;

/** A transaction that the ledger shows as confirmed. */
export type LandedTransaction = SucceededTransaction | FailedTransaction;

export interface SucceededTransaction {
  kind: 'landed';
  slot: bigint;
  error: null;
  /** The program's instructions in it, top-level and inner, in the order they ran. */
  instructions: RelayInstruction[];
  /** The sha256 of the reason that its ruling names, in hex; undefined: it names none. Rule T-113. */
  reasonHash: string | undefined;
  /** Its wire form, signatures included: what was sent. */
  bytes: ReadonlyUint8Array;
  /** Unix seconds of its block, which the program had for its clock; null: the node does not say. */
  blockTime: bigint | null;
  /** How many lamports more each of its accounts had afterwards; empty: the node does not say. */
  gained: ReadonlyMap<string, bigint>;
}

export interface FailedTransaction {
  kind: 'landed';
  slot: bigint;
  /** The error of the transaction. */
  error: TransactionError;
  instructions: [];
}

/** A transaction that is on the ledger, and nothing can be told from it. */
export interface UnreadableTransaction {
  kind: 'unreadable';
  /** Our own words, never the node's. */
  reason: string;
}

/** The newest version that is understood here: a node refuses to show a newer one. */
const NEWEST = MAX_SUPPORTED_TRANSACTION_VERSION;

/**
 * Reads a confirmed transaction and decodes the program's instructions; undefined when the ledger shows no such. Rule S-101.
 *
 * @throws LegworkError `ledger_unavailable` when the ledger does not answer
 */
export async function findLanded(
  { rpc, programAddress }: { rpc: Rpc<GetTransactionApi>; programAddress: Address },
  signature: string,
): Promise<LandedTransaction | UnreadableTransaction | undefined> {
  const how = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: NEWEST } as const;
  let shown: Shown | null;
  try {
    shown = await ask(rpc.getTransaction(toSignature(signature), how));
  } catch (error) {
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION)) {
      return { kind: 'unreadable', reason: `its version is above ${NEWEST}` };
    }
    throw error;
  }
  try {
    return shown === null ? undefined : read(programAddress, signature, shown);
  } catch {
    return { kind: 'unreadable', reason: 'the node shows it in an unknown form' };
  }
}

type Balances = Record<'preBalances' | 'postBalances', readonly bigint[]>;

/** A transaction as a node shows it, which need not be of this form. */
type Shown = GetTransactionApiResponseBase64<TransactionVersion | void>;

/** @throws Error when the form is another one: what is not understood must not pass for what did not happen */
function read(programAddress: Address, signature: string, shown: Shown): LandedTransaction {
  const { slot, version, meta } = shown;
  if (typeof slot !== 'bigint') throw new TypeError('it is in no slot');
  if (version !== 'legacy' && !(version <= NEWEST)) throw new TypeError('its version is a newer one');
  if (meta?.err === undefined) throw new TypeError('it is shown without its outcome');
  if (meta.err !== null) return { kind: 'landed', slot, error: meta.err, instructions: [] };

  const { compiledMessage, loadedAddresses, transaction } = decodeTransactionFromRpcResponse(shown);
  if (getSignatureFromTransaction(transaction) !== signature) throw new TypeError('its bytes are of another one');
  const inOrder = walkInstructions({ compiledMessage, loadedAddresses, meta });
  const [reasonHash] = inOrder.flatMap((instruction) => readReason(instruction) ?? []);
  const instructions = inOrder.flatMap((instruction) => decodeRelayInstruction(programAddress, instruction) ?? []);
  const accounts = getAccountMetasFromCompiledTransactionMessage(compiledMessage, loadedAddresses);
  return {
    kind: 'landed',
    slot,
    error: null,
    instructions,
    reasonHash,
    bytes: getTransactionEncoder().encode(transaction),
    blockTime: blockTimeOf(shown.blockTime),
    gained: gainsOf(accounts, meta),
  };
}

/** The end of the year 9999: what dates in texts and in a database hold. */
const LAST_SECOND = 253_402_300_799n;

/** Unix seconds of a block, as a node says them; null: what it says is no time. */
export function blockTimeOf(said: unknown): bigint | null {
  return typeof said === 'bigint' && said >= 0n && said <= LAST_SECOND ? said : null;
}

function gainsOf(accounts: readonly AccountMeta[], meta: Partial<Balances>): Map<string, bigint> {
  const [before, after] = [meta.preBalances ?? [], meta.postBalances ?? []];
  const gains = accounts.map(({ address: at }, index) => [at, (after[index] ?? 0n) - (before[index] ?? 0n)] as const);
  return new Map(before.length === accounts.length && after.length === accounts.length ? gains : []);
}

/** How the history of an account is listed. */
export interface Listing {
  /** Transactions from this signature on are left out; undefined: none are. */
  until?: string | undefined;
  /** Transactions up to this signature, from the newest on, are left out; undefined: none are. */
  before?: string | undefined;
  /** Only a node that has reached this slot may say; another one counts as one that does not answer. */
  minContextSlot?: bigint;
  /** How each page is asked for; once, unless told. */
  request?: (page: () => Promise<Page>) => Promise<Page>;
}

/** The confirmed transactions that name the account, newest first, a page at a time. */
export async function* signaturePages(
  { rpc }: Pick<ReadLedger, 'rpc'>,
  account: string,
  { until, before: newer, minContextSlot, request = (page) => page() }: Listing = {},
): AsyncGenerator<Page, void> {
  let before: Signature | undefined = newer === undefined ? undefined : toSignature(newer);
  for (;;) {
    const options = {
      commitment: 'confirmed',
      limit: PAGE,
      ...(before !== undefined && { before }),
      ...(until !== undefined && { until: toSignature(until) }),
      ...(minContextSlot !== undefined && { minContextSlot }),
    } as const;
    const page = await request(() => ask(rpc.getSignaturesForAddress(address(account), options)));
    yield page;
    before = page.at(-1)?.signature;
    if (page.length < PAGE || before === undefined) return;
  }
}
