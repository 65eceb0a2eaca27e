import type { Account } from '../../bank/account.js';
import type { ChangedAccount } from '../../bank/accounts.js';
import { bytesOfKey, keyOf, toBase58 } from '../../bank/keys.js';
import type { Replay } from '../../bank/pastState.js';
import { innerInstructionsOf, returnDataOf } from '../../bank/transactionMeta.js';
import { parseTransaction } from '../../bank/wire.js';
import type { RpcContext, RpcMethod, RpcMethods } from '../context.js';
import { signatureParam } from '../params.js';
import { mintScales, type MintScales } from '../parsed/accounts/mintScale.js';
import { parseAccount } from '../parsed/accounts/parseAccount.js';
import { parsedInnerInstructions } from '../transactionEncoding.js';

/** Bytes that are equal between two changes of data, at most, to tell both as one. */
const GAP = 8;
/** Changes of one account's data that are told, and bytes of each. */
const MAX_CHANGES = 50;
const MAX_CHANGE_BYTES = 256;

/**
 * What a transaction changed, account by account, and, of one that failed, how it runs again on the accounts as they were before it.
 * Null for a transaction that never landed; without both where the accounts before it are no longer known. Rule L-91.
 */
const traceTransaction: RpcMethod = async (params, context) => {
  const { bank, store } = context;
  const signature = signatureParam(params[0]);
  await bank.durable();
  const record = store.transaction(signature);
  if (record === undefined) return null;
  const [changed, accounts] = [bank.recent.of(signature), bank.recent.before(signature)];
  const replay =
    record.err !== null && accounts
      ? bank.past.replay(parseTransaction(record.wire), record.slot, accounts)
      : undefined;
  return {
    slot: record.slot,
    err: record.err,
    accounts: changed?.map((one) => shownChange(one, changed, context)) ?? null,
    replay: replay === undefined ? null : shownReplay(replay),
  };
};

function shownReplay(replay: Replay): object {
  return {
    err: replay.err,
    innerInstructions: parsedInnerInstructions(innerInstructionsOf(replay), replay.keys.all.map(toBase58)),
    logs: replay.logs,
    returnData: returnDataOf(replay),
    unitsConsumed: replay.unitsConsumed,
  };
}

function shownChange(change: ChangedAccount, all: readonly ChangedAccount[], { bank }: RpcContext): object {
  const at = (moment: 'before' | 'account'): object | null => {
    const account = change[moment];
    if (account === undefined) return null;
    const read = (address: Uint8Array): Account | undefined => {
      const own = all.find((one) => one.address === keyOf(address));
      return own === undefined ? bank.account(address, 'processed') : own[moment];
    };
    return shownAccount(change, account, mintScales(read, bank.blockTime(bank.slotAt('processed'))));
  };
  const { before, account } = change;
  const data = dataChanges(before?.data ?? new Uint8Array(), account?.data ?? new Uint8Array());
  return { pubkey: toBase58(bytesOfKey(change.address)), before: at('before'), after: at('account'), ...data };
}

/** An account, its data only where that is parsed: the changes tell the rest. */
function shownAccount({ address }: ChangedAccount, account: Account, scales: MintScales): object {
  const { lamports, executable, rentEpoch } = account;
  return {
    data: parseAccount(bytesOfKey(address), account, scales) ?? null,
    executable,
    lamports,
    owner: toBase58(account.owner),
    rentEpoch,
    space: account.data.length,
  };
}

/** Where data differs: parts in base64 with their offsets. Of two lengths, the bytes that one lacks differ. */
function dataChanges(before: Uint8Array, after: Uint8Array): object {
  const changes: { readonly start: number; end: number }[] = [];
  const length = Math.max(before.length, after.length);
  for (let offset = 0; offset < length; offset += 1) {
    if (before[offset] === after[offset]) continue;
    const last = changes.at(-1);
    if (last !== undefined && offset - last.end <= GAP) last.end = offset + 1;
    else changes.push({ start: offset, end: offset + 1 });
  }
  const told = changes.slice(0, MAX_CHANGES).map(({ start, end }) => {
    const part = (data: Uint8Array): string =>
      Buffer.from(data.subarray(start, Math.min(end, start + MAX_CHANGE_BYTES))).toString('base64');
    return { offset: start, length: end - start, before: part(before), after: part(after) };
  });
  return { dataChanges: told, dataChangesLeftOff: changes.length - told.length };
}

export const traceMethods: RpcMethods = { relay_traceTransaction: traceTransaction };
