import { accountViewParam } from '../rpc/accountEncoding.js';
import {
  addressParam,
  arrayParam,
  commitmentParam,
  configParam,
  requireParams,
  signatureParam,
  type Params,
} from '../rpc/params.js';
import { programFilterParam } from '../rpc/programFilters.js';
import { invalidParams } from '../rpc/rpcError.js';
import { blockViewParam } from '../rpc/blockEncoding.js';
import { historyCommitment } from '../rpc/historyParams.js';
import type { Interest } from './subscriptions.js';

/** Reads the parameters of each kind of subscription. @throws RpcError */
export const readInterest: Readonly<Record<Interest['kind'], (params: Params) => Interest>> = {
  slot: () => ({ kind: 'slot' }),
  root: () => ({ kind: 'root' }),
  slotsUpdates: () => ({ kind: 'slotsUpdates' }),
  // Nobody votes here, so its subscribers hear nothing.
  vote: () => ({ kind: 'vote' }),
  block: (params) => {
    requireParams(params, 1);
    const config = configParam(params[1]);
    return {
      kind: 'block',
      mention: blockMentionParam(params[0]),
      commitment: historyCommitment(config),
      view: blockViewParam(config, 'showRewards', 'base64'),
    };
  },
  signature: (params) => {
    requireParams(params, 1);
    return {
      kind: 'signature',
      signature: signatureParam(params[0]),
      commitment: commitmentParam(configParam(params[1])),
    };
  },
  account: (params) => {
    requireParams(params, 1);
    const config = configParam(params[1]);
    const view = accountViewParam(config);
    return { kind: 'account', address: addressParam(params[0]), commitment: commitmentParam(config), view };
  },
  program: (params) => {
    requireParams(params, 1);
    const config = configParam(params[1]);
    return {
      kind: 'program',
      program: addressParam(params[0], 'program'),
      commitment: commitmentParam(config),
      view: accountViewParam(config),
      passes: programFilterParam(config['filters']),
    };
  },
  logs: (params) => {
    requireParams(params, 1);
    return { kind: 'logs', mention: mentionParam(params[0]), commitment: commitmentParam(configParam(params[1])) };
  },
};

function blockMentionParam(value: unknown): Uint8Array | undefined {
  if (value === 'all') return undefined;
  return addressParam(configParam(value, 'filter')['mentionsAccountOrProgram'], 'filter.mentionsAccountOrProgram');
}

function mentionParam(value: unknown): Uint8Array | undefined {
  if (value === 'all' || value === 'allWithVotes') return undefined;
  const mentions = arrayParam(configParam(value, 'filter')['mentions'], 'filter.mentions', 1);
  if (mentions.length !== 1) throw invalidParams('Invalid Request: Only 1 address supported');
  return addressParam(mentions[0], 'filter.mentions[0]');
}
