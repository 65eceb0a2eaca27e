import {
  addressParam,
  blockhashParam,
  configParam,
  u64Param,
  booleanParam,
  commitmentParam,
  wireEncodingParam,
  wireParam,
  arrayParam,
  type Config,
} from '../params.js';
import { type RpcMethod, type RpcMethods, requireMinContextSlot, readCommitment, withContext } from '../context.js';
import { toBase58, keyOf } from '../../bank/keys.js';
import { describeTransactionError } from '../../bank/transactionError.js';
import { returnDataOf, innerInstructionsOf, loadedAddressesOf } from '../../bank/transactionMeta.js';
import { type Refusal, unsimulated, type Simulation } from '../../bank/run.js';
import { parseTransaction, signatureOf, type WireTransaction } from '../../bank/wire.js';
import { RPC_CODES, RpcError, invalidParams } from '../rpcError.js';
import type { Account } from '../../bank/account.js';
import { resolveAccountKeys } from '../../bank/accountKeys.js';
import { feeOf, paysFee } from '../../bank/fees.js';
import { tokenBalances, type AccountReader } from '../../bank/tokenBalances.js';
import { accountViewParam, encodeAccountView } from '../accountEncoding.js';
import { mintScales } from '../parsed/accounts/mintScale.js';
import { parsedInnerInstructions } from '../transactionEncoding.js';

/** Answers a signature always, like `sendTransaction` without preflight: its status tells whether it landed. */
const requestAirdrop: RpcMethod = async (params, { faucet }) => {
  const recipient = addressParam(params[0]);
  const lamports = u64Param(params[1], 'lamports');
  const wanted = configParam(params[2])['recentBlockhash'];
  const blockhash = wanted === undefined ? undefined : blockhashParam(wanted);
  return (await faucet.airdrop(recipient, lamports, blockhash)).signature;
};

export const airdropMethods: RpcMethods = { requestAirdrop };

const sendTransaction: RpcMethod = async (params, context) => {
  const config = configParam(params[1]);
  const encoding = wireEncodingParam(config);
  const preflight = !booleanParam(config['skipPreflight'], 'skipPreflight');
  const commitment = commitmentParam(config, 'preflightCommitment');
  const transaction = wireParam(params[0], 'transaction', encoding, parseTransaction);
  requireMinContextSlot(config, preflight ? commitment : 'processed', context);
  const refusal = await context.bank.submit(transaction, preflight ? commitment : undefined);
  // Without preflight a cluster accepts anything and drops what cannot land; the status shows the sender which.
  if (refusal !== undefined && preflight) throw preflightFailure(refusal);
  return toBase58(signatureOf(transaction));
};

function preflightFailure(refusal: Refusal): RpcError {
  const { err, logs, unitsConsumed, fee, loadedSize, passesAt } = refusal;
  const reason = err === null ? 'unknown' : describeTransactionError(err);
  return new RpcError(RPC_CODES.preflightFailure, `Transaction simulation failed: ${reason}`, {
    accounts: null,
    err,
    fee,
    innerInstructions: null,
    loadedAccountsDataSize: loadedSize,
    loadedAddresses: null,
    logs,
    postBalances: null,
    postTokenBalances: null,
    preBalances: null,
    preTokenBalances: null,
    replacementBlockhash: null,
    returnData: returnDataOf(refusal),
    unitsConsumed,
    passesAt,
  });
}

export const sendTransactionMethods: RpcMethods = { sendTransaction };

/** Changes nothing. Rule L-17. */
const simulateTransaction: RpcMethod = async (params, context) => {
  const config = configParam(params[1]);
  const encoding = wireEncodingParam(config);
  const verifySignatures = booleanParam(config['sigVerify'], 'sigVerify');
  const anyBlockhash = booleanParam(config['replaceRecentBlockhash'], 'replaceRecentBlockhash');
  const wantsInner = booleanParam(config['innerInstructions'], 'innerInstructions');
  const transaction = wireParam(params[0], 'transaction', encoding, parseTransaction);
  const commitment = readCommitment(config, context);
  if (verifySignatures && anyBlockhash) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
  const wanted = wantedAccounts(config, transaction);
  const isForged = verifySignatures && (await context.bank.isForged(transaction));
  if (commitment !== 'finalized') await context.bank.untilUsable(transaction, !anyBlockhash);
  const simulation = isForged
    ? unsimulated('SignatureFailure')
    : context.bank.simulate(transaction, commitment, !anyBlockhash);
  const read = (address: Uint8Array): Account | undefined => context.bank.account(address, commitment);
  return withContext(context.bank, commitment, {
    ...effects(transaction, simulation, read),
    accounts: wanted?.(simulation, read, context.bank.blockTime(context.bank.slotAt(commitment))) ?? null,
    err: simulation.err,
    innerInstructions: wantsInner ? innerOf(transaction, simulation, read) : null,
    logs: simulation.logs,
    replacementBlockhash: anyBlockhash ? context.bank.latestBlockhash(commitment) : null,
    returnData: returnDataOf(simulation),
    unitsConsumed: simulation.unitsConsumed,
    passesAt: simulation.passesAt,
  });
};

/** @param read the accounts before the simulation, at its commitment; so below */
function effects(transaction: WireTransaction, simulation: Simulation, read: AccountReader): object {
  const keys = resolveAccountKeys(transaction.message, read);
  const pre = keys.all.map((address) => read(address)?.lamports ?? 0n);
  const fee = paysFee(simulation) ? feeOf(transaction.message) : null;
  const post = keys.all.map((address, index) => {
    const after = simulation.postAccounts.get(keyOf(address));
    const paid = simulation.err !== null && index === 0 ? (fee ?? 0n) : 0n;
    return after === undefined ? (pre[index] ?? 0n) - paid : after.lamports;
  });
  // With a wrong signature nothing else is checked.
  const known = simulation.err !== 'SignatureFailure';
  return {
    fee,
    loadedAccountsDataSize: simulation.loadedSize,
    loadedAddresses: loadedAddressesOf(keys),
    postBalances: known ? post : null,
    postTokenBalances: known ? tokenBalances(transaction.message, keys, readerAfter(simulation, read)) : null,
    preBalances: known ? pre : null,
    preTokenBalances: known ? tokenBalances(transaction.message, keys, read) : null,
  };
}

/** The inner calls, parsed; null where nothing ran. */
function innerOf(transaction: WireTransaction, simulation: Simulation, read: AccountReader): object[] | null {
  if (!paysFee(simulation)) return null;
  const keys = resolveAccountKeys(transaction.message, read);
  return parsedInnerInstructions(innerInstructionsOf(simulation), keys.all.map(toBase58));
}

/** Reads accounts as they would be afterwards. */
function readerAfter(simulation: Simulation, read: AccountReader): AccountReader {
  return (address) => simulation.postAccounts.get(keyOf(address)) ?? read(address);
}

/** @param time of the simulation's slot, in seconds since 1970 */
type AccountsReader = (simulation: Simulation, before: AccountReader, time: number) => (object | null)[];

/** Reads the `accounts` option: the accounts to show as they would be afterwards. */
function wantedAccounts(config: Config, transaction: WireTransaction): AccountsReader | undefined {
  if (config['accounts'] === undefined || config['accounts'] === null) return undefined;
  const wanted = configParam(config['accounts'], 'accounts');
  const view = accountViewParam({ encoding: wanted['encoding'] }, 'base64');
  if (view.encoding === 'binary' || view.encoding === 'base58') {
    throw invalidParams('base58 encoding not supported');
  }
  const most = transaction.message.staticKeys.length + transaction.message.lookups.length * 256;
  const addresses = arrayParam(wanted['addresses']);
  if (addresses.length > most) throw invalidParams(`Too many accounts provided; max ${most}`);
  return (simulation, before, time) => {
    const read = readerAfter(simulation, before);
    const scales = mintScales(read, time);
    return addresses.map((one) => {
      if (simulation.err !== null) return null;
      const address = addressParam(one);
      const account = read(address);
      return account === undefined ? null : encodeAccountView(address, account, view, scales);
    });
  };
}

export const simulateTransactionMethods: RpcMethods = { simulateTransaction };
