import { resolveAccountKeys } from '../bank/accountKeys.js';
import { parseTransaction } from '../bank/wire.js';
import { RemoteError } from '../errors.js';
import type { Fork } from '../fork/fork.js';
import type { RpcContext, RpcMethod } from './context.js';
import { addressParam, configParam, wireEncodingParam, wireParam, type Params } from './params.js';
import { RPC_CODES, RpcError } from './rpcError.js';

/** Brings what a call names. @throws RpcError when the call is malformed, RemoteError */
type Bring = (params: Params, fork: Fork, context: RpcContext) => Promise<void>;

const bringFirst: Bring = async ([address], fork) => fork.bring([addressParam(address)]);

const bringAll: Bring = async ([addresses], fork) => {
  if (Array.isArray(addresses)) await fork.bring(addresses.map((one) => addressParam(one)));
};

/** All accounts of a transaction; those from lookup tables once the tables are here. */
const bringTransaction: Bring = async ([wire, options], fork, { bank }) => {
  const { message } = wireParam(wire, 'transaction', wireEncodingParam(configParam(options)), parseTransaction);
  await fork.bring([...message.staticKeys, ...message.lookups.map(({ table }) => table)]);
  const { loaded } = resolveAccountKeys(message, (address) => bank.account(address, 'processed'));
  await fork.bring([...loaded.writable, ...loaded.readonly]);
};

const bringSimulation: Bring = async (params, fork, context) => {
  await bringTransaction(params, fork, context);
  await bringAll([configParam(configParam(params[1])['accounts'])['addresses']], fork, context);
};

/** The calls that use accounts which they name. */
const NAMING: Readonly<Record<string, Bring>> = {
  getAccountInfo: bringFirst,
  getBalance: bringFirst,
  getMultipleAccounts: bringAll,
  getTokenAccountBalance: bringFirst,
  getTokenSupply: bringFirst,
  requestAirdrop: bringFirst,
  sendTransaction: bringTransaction,
  simulateTransaction: bringSimulation,
  surfnet_setAccount: bringFirst,
};

/** The methods of a ledger that forks another cluster: before each uses an account for the first time, it is fetched. Rule L-80. */
export function forkedMethods(methods: ReadonlyMap<string, RpcMethod>, fork: Fork): ReadonlyMap<string, RpcMethod> {
  return new Map(
    [...methods].map(([name, method]) => {
      const bring = Object.hasOwn(NAMING, name) ? NAMING[name] : undefined;
      if (bring === undefined) return [name, method];
      return [
        name,
        async (params, context) => {
          await bring(params, fork, context).catch(refuse);
          return method(params, context);
        },
      ];
    }),
  );
}

/** The method itself reports faults of a call better. */
function refuse(error: unknown): void {
  if (error instanceof RemoteError) throw new RpcError(RPC_CODES.internalError, error.message);
  if (!(error instanceof RpcError)) throw error;
}
