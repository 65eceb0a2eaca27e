import type { RpcMethod, RpcMethods } from '../context.js';
import { RPC_CODES, RpcError } from '../rpcError.js';
import { resetAccount } from './testing/resetAccount.js';
import { setAccount } from './testing/setAccount.js';
import { setTokenAccount } from './testing/setTokenAccount.js';
import { reset, restore, snapshot } from './testing/snapshots.js';
import { advanceTime, timeTravel } from './testing/timeTravel.js';

/** Methods of a ledger that was started for tests; those of Surfpool under its names. */
export const testingMethods: RpcMethods = {
  relay_advanceTime: advanceTime,
  relay_reset: reset,
  relay_restore: restore,
  relay_snapshot: snapshot,
  surfnet_resetAccount: resetAccount,
  surfnet_setAccount: setAccount,
  surfnet_setTokenAccount: setTokenAccount,
  surfnet_timeTravel: timeTravel,
};

/** What the same names say on a ledger that was not. */
export const refusedTestingMethods: RpcMethods = Object.fromEntries(
  Object.keys(testingMethods).map((name) => [name, refusing(name)]),
);

function refusing(name: string): RpcMethod {
  return () => {
    const how = 'start the ledger for tests, with `--testing` or `startLedger({ testing: true })`';
    throw new RpcError(RPC_CODES.methodNotFound, `Method not found: to use ${name}, ${how}`);
  };
}
