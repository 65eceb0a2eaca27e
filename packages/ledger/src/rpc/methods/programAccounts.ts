import { toBase58 } from '../../bank/keys.js';
import { accountViewParam, encodeAccountView } from '../accountEncoding.js';
import { readCommitment, withContext, type RpcMethod, type RpcMethods } from '../context.js';
import { addressParam, booleanParam, configParam, requireParams } from '../params.js';
import { programFilterParam } from '../programFilters.js';

const getProgramAccounts: RpcMethod = (params, context) => {
  requireParams(params, 1);
  const program = addressParam(params[0], 'program');
  const config = configParam(params[1]);
  const view = accountViewParam(config);
  const passes = programFilterParam(config['filters']);
  const wantsContext = booleanParam(config['withContext'], 'withContext');
  const commitment = readCommitment(config, context);
  const found: object[] = [];
  for (const { address, account } of context.bank.ownedBy(program, commitment)) {
    if (passes(account)) found.push({ account: encodeAccountView(account, view), pubkey: toBase58(address) });
  }
  return wantsContext ? withContext(context.bank, commitment, found) : found;
};

export const programAccountMethods: RpcMethods = { getProgramAccounts };
