import { fromBase58, toBase58 } from '../bank/keys.js';
import type { InnerInstructions, ShownInstruction } from '../bank/transactionMeta.js';
import { parseTransaction, type WireInstruction, type WireMessage } from '../bank/wire.js';
import { decodeJson, RawJson } from '../json.js';
import type { TransactionRecord } from '../store/records.js';
import { showInstruction } from './parsed/instructions/index.js';
import { showAccounts, type LoadedAddresses } from './parsed/instructions/parsedAccounts.js';
import { RPC_CODES, RpcError } from './rpcError.js';

export const TRANSACTION_ENCODINGS = ['binary', 'base64', 'base58', 'json', 'jsonParsed'] as const;
export type TransactionEncoding = (typeof TRANSACTION_ENCODINGS)[number];

/** How a call wants transactions. */
export type TransactionView = {
  readonly encoding: TransactionEncoding;
  /** `accounts`: not the message, only its accounts and what became of them, whatever the encoding. */
  readonly details: 'full' | 'accounts';
  /** The newest version that the client can read; undefined: legacy only. */
  readonly maxVersion: number | undefined;
  readonly rewards: boolean;
};

/** The stored meta, as far as it is read here. */
type Meta = {
  readonly innerInstructions: readonly InnerInstructions[];
  readonly loadedAddresses: LoadedAddresses;
} & Readonly<Record<string, unknown>>;

/**
 * A landed transaction with its meta. Rule L-50.
 *
 * @throws UnsupportedVersionError when the client cannot read its version
 */
export function encodeTransaction(
  { wire, metaJson }: Pick<TransactionRecord, 'wire' | 'metaJson'>,
  view: TransactionView,
) {
  const { message, signatures } = parseTransaction(wire);
  const version = versionFor(message.version, view.maxVersion);
  if (view.details === 'accounts') {
    const meta = decodeJson(metaJson) as Meta;
    const accountKeys = showAccounts(message, keysOf(message, meta), meta.loadedAddresses);
    return { meta: briefMeta(meta, view), transaction: { accountKeys, signatures: signatures.map(toBase58) }, version };
  }
  if (view.encoding === 'jsonParsed') {
    const meta = decodeJson(metaJson) as Meta;
    const keys = keysOf(message, meta);
    return {
      meta: parsedMeta(meta, keys, view),
      transaction: {
        message: parsedMessage(message, keys, meta.loadedAddresses),
        signatures: signatures.map(toBase58),
      },
      version,
    };
  }
  const meta = view.rewards ? new RawJson(metaJson) : { ...(decodeJson(metaJson) as Meta), rewards: null };
  if (view.encoding === 'json') {
    return { meta, transaction: { message: rawMessage(message), signatures: signatures.map(toBase58) }, version };
  }
  return { meta, transaction: encodeWire(wire, view.encoding), version };
}

/** The client's `maxSupportedTransactionVersion` is too low. */
export class UnsupportedVersionError extends RpcError {
  readonly version: number;

  constructor(version: number) {
    super(
      RPC_CODES.unsupportedTransactionVersion,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
    this.version = version;
  }
}

/** The version to show: none to clients that did not name one, since they may not know the field. */
function versionFor(version: WireMessage['version'], maxVersion: number | undefined): 'legacy' | number | undefined {
  if (version === 'legacy') return maxVersion === undefined ? undefined : version;
  if (maxVersion === undefined || version > maxVersion) throw new UnsupportedVersionError(version);
  return version;
}

function encodeWire(wire: Uint8Array, encoding: 'binary' | 'base58' | 'base64'): string | [string, string] {
  if (encoding === 'base64') return [Buffer.from(wire).toString('base64'), encoding];
  return encoding === 'base58' ? [toBase58(wire), encoding] : toBase58(wire);
}

/** All addresses of a transaction, in the order of their indexes. */
function keysOf(message: WireMessage, { loadedAddresses }: Meta): string[] {
  return [...message.staticKeys.map(toBase58), ...loadedAddresses.writable, ...loadedAddresses.readonly];
}

function rawMessage(message: WireMessage): object {
  return {
    accountKeys: message.staticKeys.map(toBase58),
    addressTableLookups: lookupsOf(message),
    header: {
      numReadonlySignedAccounts: message.numReadonlySigned,
      numReadonlyUnsignedAccounts: message.numReadonlyUnsigned,
      numRequiredSignatures: message.numRequiredSignatures,
    },
    instructions: message.instructions.map((one) => ({
      accounts: [...one.accounts],
      data: toBase58(one.data),
      programIdIndex: one.programIndex,
      stackHeight: 1,
    })),
    recentBlockhash: toBase58(message.blockhash),
    transactionConfig: message.config,
  };
}

function parsedMessage(message: WireMessage, keys: readonly string[], loaded: LoadedAddresses): object {
  return {
    accountKeys: showAccounts(message, keys, loaded),
    addressTableLookups: lookupsOf(message),
    instructions: message.instructions.map((one) => parsedInstruction(one, keys)),
    recentBlockhash: toBase58(message.blockhash),
    transactionConfig: message.config,
  };
}

function parsedInstruction({ programIndex, accounts, data }: WireInstruction, keys: readonly string[]): object {
  return showInstruction({
    programId: keyAt(keys, programIndex),
    accounts: Array.from(accounts, (index) => keyAt(keys, index)),
    data: { bytes: () => data, text: () => toBase58(data) },
    stackHeight: 1,
  });
}

/** The calls of programs, as `jsonParsed` shows them. */
export function parsedInnerInstructions(lists: readonly InnerInstructions[], keys: readonly string[]): object[] {
  return lists.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((one) => parsedInner(one, keys)),
  }));
}

function parsedInner(
  { programIdIndex, accounts, data, stackHeight }: ShownInstruction,
  keys: readonly string[],
): object {
  return showInstruction({
    programId: keyAt(keys, programIdIndex),
    accounts: accounts.map((index) => keyAt(keys, index)),
    data: { bytes: () => fromBase58(data), text: () => data },
    stackHeight,
  });
}

function keyAt(keys: readonly string[], index: number): string {
  const key = keys[index];
  if (key === undefined) throw new Error(`a stored transaction has no account ${index}`);
  return key;
}

/** Lookup tables; messages of other versions have no such field. */
function lookupsOf(message: WireMessage): object[] | undefined {
  if (message.version !== 0) return undefined;
  return message.lookups.map((lookup) => ({
    accountKey: toBase58(lookup.table),
    readonlyIndexes: [...lookup.readonly],
    writableIndexes: [...lookup.writable],
  }));
}

/** Without `loadedAddresses`: the message shows them among its accounts. */
function parsedMeta(meta: Meta, keys: readonly string[], { rewards }: TransactionView): object {
  const { loadedAddresses: _, innerInstructions, ...rest } = meta;
  return {
    ...rest,
    innerInstructions: parsedInnerInstructions(innerInstructions, keys),
    rewards: rewards ? meta['rewards'] : null,
  };
}

function briefMeta(meta: Meta, { rewards }: TransactionView): object {
  return {
    err: meta['err'],
    fee: meta['fee'],
    postBalances: meta['postBalances'],
    postTokenBalances: meta['postTokenBalances'],
    preBalances: meta['preBalances'],
    preTokenBalances: meta['preTokenBalances'],
    rewards: rewards ? meta['rewards'] : undefined,
    status: meta['status'],
  };
}
