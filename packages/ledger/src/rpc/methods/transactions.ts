import { toBase58 } from '../../bank/keys.js';
import { parseTransaction } from '../../bank/wire.js';
import type { TransactionRecord } from '../../store/records.js';
import { requireMinContextSlot, type RpcContext, type RpcMethod, type RpcMethods, SOLANA_VERSION } from '../context.js';
import {
  addressParam,
  configParam,
  signatureParam,
  sizeParam,
  type Config,
  encodingConfigParam,
  encodingParam,
  historyCommitment,
  maxVersionParam,
  arrayParam,
  booleanParam,
} from '../params.js';
import { invalidParams, RPC_CODES, RpcError } from '../rpcError.js';
import { memoOf } from '../memo.js';
import { encodeTransaction, type TransactionView } from '../transactionEncoding.js';

const MAX_SIGNATURES = 1000;

const getTransaction: RpcMethod = async (params, context) => {
  const signature = signatureParam(params[0]);
  const config = encodingConfigParam(params[1]);
  const view: TransactionView = {
    encoding: encodingParam(config, 'json'),
    details: 'full',
    maxVersion: maxVersionParam(config),
    rewards: true,
  };
  const commitment = historyCommitment(config);
  await context.bank.durable();
  const record = context.store.transaction(signature);
  if (record === undefined || record.slot > context.bank.slotAt(commitment)) return null;
  return {
    blockTime: record.blockTime,
    slot: record.slot,
    transactionIndex: record.index,
    ...encodeTransaction(record, view),
  };
};

const getSignaturesForAddress: RpcMethod = async (params, context) => {
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
      memo: memoOf(parseTransaction(record.wire).message),
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
  return value === undefined || value === null ? undefined : signatureParam(value);
}

export const transactionMethods: RpcMethods = { getSignaturesForAddress, getTransaction };

const MAX_STATUSES = 256;
/** A slot is confirmed by the first vote for it, and final with the next one after these. */
const MAX_CONFIRMATIONS = 31;

const getSignatureStatuses: RpcMethod = async (params, context) => {
  const signatures = arrayParam(params[0], MAX_STATUSES).map((one) => signatureParam(one));
  const searchHistory = booleanParam(configParam(params[1])['searchTransactionHistory'], 'searchTransactionHistory');
  await context.bank.durable();
  const slot = context.bank.slotAt('confirmed');
  const value = signatures.map((signature) => statusOf(signature, searchHistory, context));
  return { context: { apiVersion: SOLANA_VERSION, slot }, value };
};

function statusOf(signature: Uint8Array, searchHistory: boolean, { bank, store }: RpcContext): object | null {
  const found = bank.recentStatus(signature) ?? (searchHistory ? store.transaction(signature) : undefined);
  if (found === undefined) return null;
  const { slot, err } = found;
  const isFinal = bank.isFinal(slot);
  return {
    confirmationStatus: isFinal ? 'finalized' : 'confirmed',
    confirmations: isFinal ? null : Math.min(bank.slotAt('confirmed') - slot + 1, MAX_CONFIRMATIONS),
    err,
    slot,
    status: err === null ? { Ok: null } : { Err: err },
  };
}

export const signatureStatusMethods: RpcMethods = { getSignatureStatuses };
