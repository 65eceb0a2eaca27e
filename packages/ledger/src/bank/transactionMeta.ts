import { encodeJson } from '../json.js';
import type { AccountKeys } from './accountKeys.js';
import type { Execution } from './engine.js';
import { toBase58 } from './keys.js';

export type Balances = {
  readonly pre: readonly bigint[];
  readonly post: readonly bigint[];
  /** As `tokenBalances` shows them. */
  readonly preTokens: readonly object[];
  readonly postTokens: readonly object[];
};

/** Inner instructions as `getTransaction` and `simulateTransaction` show them, of the instructions that have any. */
export function innerInstructionsOf(execution: Execution): object[] {
  return execution.innerInstructions.flatMap((list, index) =>
    list.length === 0
      ? []
      : [
          {
            index,
            instructions: list.map((one) => ({
              accounts: [...one.accounts],
              data: toBase58(one.data),
              programIdIndex: one.programIndex,
              stackHeight: one.stackHeight,
            })),
          },
        ],
  );
}

export function returnDataOf(execution: Execution): object | null {
  const { returnData } = execution;
  if (returnData === null) return null;
  return {
    data: [Buffer.from(returnData.data).toString('base64'), 'base64'],
    programId: toBase58(returnData.program),
  };
}

export function loadedAddressesOf(keys: AccountKeys): object {
  return { readonly: keys.loaded.readonly.map(toBase58), writable: keys.loaded.writable.map(toBase58) };
}

/** The `meta` of a landed transaction, as JSON text. */
export function transactionMetaJson(execution: Execution, keys: AccountKeys, balances: Balances, fee: bigint): string {
  const { err } = execution;
  return encodeJson({
    computeUnitsConsumed: execution.unitsConsumed,
    err,
    fee,
    innerInstructions: innerInstructionsOf(execution),
    loadedAddresses: loadedAddressesOf(keys),
    logMessages: execution.logs,
    postBalances: balances.post,
    postTokenBalances: balances.postTokens,
    preBalances: balances.pre,
    preTokenBalances: balances.preTokens,
    returnData: returnDataOf(execution) ?? undefined,
    rewards: [],
    status: err === null ? { Ok: null } : { Err: err },
  });
}
