import { isTokenProgram } from '../../bank/token.js';
import { accountViewParam, encodeAccountList, encodeAccountView } from '../accountEncoding.js';
import { readCommitment, withContext, type RpcMethod, type RpcMethods } from '../context.js';
import { addressParam, arrayParam, booleanParam, configParam } from '../params.js';
import { mintScalesAt } from '../parsed/accounts/mintScale.js';
import { programFilterParam, tokenTraitIn } from '../programFilters.js';

const MAX_ACCOUNTS = 100;

const getAccountInfo: RpcMethod = (params, context) => {
  const address = addressParam(params[0]);
  const config = configParam(params[1]);
  const view = accountViewParam(config);
  const commitment = readCommitment(config, context);
  const account = context.bank.account(address, commitment);
  const scales = mintScalesAt(context.bank, commitment);
  const encoded = account === undefined ? null : encodeAccountView(address, account, view, scales);
  return withContext(context.bank, commitment, encoded);
};

const getMultipleAccounts: RpcMethod = (params, context) => {
  const addresses = arrayParam(params[0], MAX_ACCOUNTS).map((one) => addressParam(one));
  const config = configParam(params[1]);
  const view = accountViewParam(config, 'base64');
  const commitment = readCommitment(config, context);
  const scales = mintScalesAt(context.bank, commitment);
  const accounts = addresses.map((address) => {
    const account = context.bank.account(address, commitment);
    return account === undefined ? null : encodeAccountView(address, account, view, scales);
  });
  return withContext(context.bank, commitment, accounts);
};

const getBalance: RpcMethod = (params, context) => {
  const address = addressParam(params[0]);
  const commitment = readCommitment(configParam(params[1]), context);
  return withContext(context.bank, commitment, context.bank.account(address, commitment)?.lamports ?? 0n);
};

const getProgramAccounts: RpcMethod = (params, context) => {
  const program = addressParam(params[0]);
  const config = configParam(params[1]);
  const view = accountViewParam(config);
  const passes = programFilterParam(config['filters']);
  const wantsContext = booleanParam(config['withContext'], 'withContext');
  const commitment = readCommitment(config, context);
  const tokens = isTokenProgram(program) ? tokenTraitIn(config['filters']) : undefined;
  const { trait, value } = tokens ?? { trait: 'program', value: program };
  const found = [...context.bank.find(trait, value, commitment)].filter(
    ({ account }) => Buffer.compare(account.owner, program) === 0 && passes(account),
  );
  const list = encodeAccountList(found, view, mintScalesAt(context.bank, commitment));
  return wantsContext ? withContext(context.bank, commitment, list) : list;
};

export const accountMethods: RpcMethods = { getAccountInfo, getBalance, getMultipleAccounts, getProgramAccounts };
