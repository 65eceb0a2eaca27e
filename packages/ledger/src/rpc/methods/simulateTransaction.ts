import type { Account } from '../../bank/account.js';
import { resolveAccountKeys } from '../../bank/accountKeys.js';
import { BLOCKHASH_AGE } from '../../bank/commitment.js';
import type { Simulation } from '../../bank/engine.js';
import { feeOf } from '../../bank/fees.js';
import { keyOf } from '../../bank/keys.js';
import { innerInstructionsOf, loadedAddressesOf, returnDataOf } from '../../bank/transactionMeta.js';
import { parseTransaction, type WireTransaction } from '../../bank/wire.js';
import { accountViewParam, encodeAccountView } from '../accountEncoding.js';
import { hasRun, loadedDataSize } from '../loadedDataSize.js';
import { readCommitment, withContext, type RpcContext, type RpcMethod, type RpcMethods } from '../context.js';
import {
  addressParam,
  arrayParam,
  booleanParam,
  configParam,
  wireEncodingParam,
  wireParam,
  type Config,
} from '../params.js';
import { invalidParams } from '../rpcError.js';
import { tooNewBlockhash } from '../unknownBlockhash.js';

/** Changes nothing. Rule L-17. */
const simulateTransaction: RpcMethod = (params, context) => {
  const config = configParam(params[1]);
  const encoding = wireEncodingParam(config);
  const verifySignatures = booleanParam(config['sigVerify'], 'sigVerify');
  const anyBlockhash = booleanParam(config['replaceRecentBlockhash'], 'replaceRecentBlockhash');
  const wantsInner = booleanParam(config['innerInstructions'], 'innerInstructions');
  const transaction = wireParam(params[0], 'transaction', encoding, parseTransaction);
  const commitment = readCommitment(config, context);
  if (verifySignatures && anyBlockhash) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
  const wanted = wantedAccounts(config, transaction);
  const tooNew = anyBlockhash ? undefined : tooNewBlockhash(transaction, commitment, verifySignatures, context);
  const simulation = tooNew ?? context.bank.simulate(transaction, { verifySignatures, anyBlockhash });
  return withContext(context.bank, commitment, {
    ...effects(transaction, simulation, context),
    accounts: wanted?.(simulation, context) ?? null,
    err: simulation.err,
    innerInstructions: wantsInner && simulation.err === null ? innerInstructionsOf(simulation) : null,
    logs: simulation.logs,
    replacementBlockhash: anyBlockhash ? replacement(context) : null,
    returnData: returnDataOf(simulation),
    unitsConsumed: simulation.unitsConsumed,
  });
};

function replacement({ bank }: RpcContext): object {
  const slot = bank.slotAt('confirmed');
  return { blockhash: bank.blockhashAt(slot), lastValidBlockHeight: slot + Number(BLOCKHASH_AGE) };
}

function effects(transaction: WireTransaction, simulation: Simulation, { bank }: RpcContext): object {
  const now = (address: Uint8Array): Account | undefined => bank.account(address, 'processed');
  const keys = resolveAccountKeys(transaction.message, now);
  const pre = keys.all.map((address) => now(address)?.lamports ?? 0n);
  const fee = hasRun(simulation) ? feeOf(transaction.message) : null;
  const post = keys.all.map((address, index) => {
    const after = simulation.postAccounts.get(keyOf(address));
    const paid = simulation.err !== null && index === 0 ? (fee ?? 0n) : 0n;
    return after === undefined ? (pre[index] ?? 0n) - paid : after.lamports;
  });
  // With a wrong signature nothing else is checked.
  const known = simulation.err !== 'SignatureFailure';
  return {
    fee,
    loadedAccountsDataSize: loadedDataSize(transaction, simulation, bank),
    loadedAddresses: loadedAddressesOf(keys),
    postBalances: known ? post : null,
    postTokenBalances: known ? [] : null,
    preBalances: known ? pre : null,
    preTokenBalances: known ? [] : null,
  };
}

type AccountsReader = (simulation: Simulation, context: RpcContext) => (object | null)[];

/** Reads the `accounts` option: the accounts to show as they would be afterwards. */
function wantedAccounts(config: Config, transaction: WireTransaction): AccountsReader | undefined {
  if (config['accounts'] === undefined || config['accounts'] === null) return undefined;
  const wanted = configParam(config['accounts'], 'accounts');
  const view = accountViewParam({ encoding: wanted['encoding'] }, 'base64');
  if (view.encoding === 'binary' || view.encoding === 'base58') {
    throw invalidParams('base58 encoding not supported');
  }
  const most = transaction.message.staticKeys.length + transaction.message.lookups.length * 256;
  const addresses = arrayParam(wanted['addresses'], 'accounts.addresses', Infinity);
  if (addresses.length > most) throw invalidParams(`Too many accounts provided; max ${most}`);
  return (simulation, { bank }) =>
    addresses.map((one) => {
      if (simulation.err !== null) return null;
      const address = addressParam(one);
      const account = simulation.postAccounts.get(keyOf(address)) ?? bank.account(address, 'processed');
      return account === undefined ? null : encodeAccountView(account, view);
    });
}

export const simulateTransactionMethods: RpcMethods = { simulateTransaction };
