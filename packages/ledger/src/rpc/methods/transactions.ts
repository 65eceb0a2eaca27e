import { parseTransaction } from '../../bank/wire.js';
import { toBase58 } from '../../bank/keys.js';
import { RawJson } from '../../json.js';
import type { TransactionRecord } from '../../store/records.js';
import { requireMinContextSlot, type RpcContext, type RpcMethod, type RpcMethods } from '../context.js';
import {
  addressParam,
  commitmentParam,
  configParam,
  oneOf,
  requireParams,
  signatureParam,
  sizeParam,
  type Config,
} from '../params.js';
import { invalidParams, RPC_CODES, RpcError } from '../rpcError.js';
import { encodeTransactionView, TRANSACTION_ENCODINGS } from '../transactionEncoding.js';

const MAX_SIGNATURES = 1000;

const getTransaction: RpcMethod = async (params, context) => {
  requireParams(params, 1);
  const signature = signatureParam(params[0]);
  // Old clients give the encoding alone instead of a configuration.
  const config = typeof params[1] === 'string' ? { encoding: params[1] } : configParam(params[1]);
  const encoding = oneOf(config['encoding'], 'encoding', TRANSACTION_ENCODINGS, 'json');
  const commitment = historyCommitment(config);
  const newest = config['maxSupportedTransactionVersion'];
  const maxVersion =
    newest === undefined || newest === null ? undefined : sizeParam(newest, 'maxSupportedTransactionVersion');
  await context.bank.durable();
  const record = context.store.transaction(signature);
  if (record === undefined || record.slot > context.bank.slotAt(commitment)) return null;
  const { version } = parseTransaction(record.wire).message;
  if (version !== 'legacy' && version > (maxVersion ?? -1)) throw unsupportedVersion(version);
  return {
    blockTime: record.blockTime,
    meta: new RawJson(record.metaJson),
    slot: record.slot,
    transaction: encodeTransactionView(record.wire, encoding),
    transactionIndex: record.index,
    version: maxVersion === undefined ? undefined : version,
  };
};

function unsupportedVersion(version: number): RpcError {
  return new RpcError(
    RPC_CODES.unsupportedTransactionVersion,
    `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
  );
}

/** History consists of blocks, and a block is confirmed at least. */
function historyCommitment(config: Config): 'confirmed' | 'finalized' {
  const commitment = commitmentParam(config);
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

const getSignaturesForAddress: RpcMethod = async (params, context) => {
  requireParams(params, 1);
  const address = addressParam(params[0]);
  const config = configParam(params[1]);
  const before = optionalSignature(config, 'before');
  const until = optionalSignature(config, 'until');
  const limit =
    config['limit'] === undefined || config['limit'] === null ? MAX_SIGNATURES : sizeParam(config['limit'], 'limit');
  if (limit < 1 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`);
  const commitment = historyCommitment(config);
  requireMinContextSlot(config, commitment, context);
  await context.bank.durable();
  return listSignatures(address, { before, until, limit, newestSlot: context.bank.slotAt(commitment) }, context);
};

type Listing = {
  readonly before: Uint8Array | undefined;
  readonly until: Uint8Array | undefined;
  readonly limit: number;
  readonly newestSlot: number;
};

function listSignatures(address: Uint8Array, listing: Listing, { bank, store }: RpcContext): object[] {
  const from = positionOf(listing.before, store);
  const to = positionOf(listing.until, store);
  const found: object[] = [];
  for (const { signature, slot, index } of store.signaturesOf(address, from)) {
    if (to !== undefined && (slot < to.slot || (slot === to.slot && index <= to.index))) break;
    if (slot > listing.newestSlot) continue;
    const record = store.transaction(signature);
    if (record === undefined) continue;
    found.push({
      blockTime: record.blockTime,
      confirmationStatus: bank.isFinal(slot) ? 'finalized' : 'confirmed',
      err: record.err,
      memo: null,
      signature: toBase58(signature),
      slot,
      transactionIndex: index,
    });
    if (found.length === listing.limit) break;
  }
  return found;
}

/** The position of a page's bound. @throws RpcError when the ledger does not know it (L-16) */
function positionOf(
  signature: Uint8Array | undefined,
  store: RpcContext['store'],
): Pick<TransactionRecord, 'slot' | 'index'> | undefined {
  if (signature === undefined) return undefined;
  const record = store.transaction(signature);
  if (record === undefined) {
    throw new RpcError(RPC_CODES.transactionNotFound, `Transaction ${toBase58(signature)} not found`);
  }
  return record;
}

function optionalSignature(config: Config, name: string): Uint8Array | undefined {
  const value = config[name];
  return value === undefined || value === null ? undefined : signatureParam(value, name);
}

export const transactionMethods: RpcMethods = { getSignaturesForAddress, getTransaction };
