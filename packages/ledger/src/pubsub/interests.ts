import { accountViewParam } from '../rpc/accountEncoding.js';
import {
  addressParam,
  commitmentParam,
  configParam,
  signatureParam,
  type Config,
  type Params,
  readParams,
  historyCommitment,
} from '../rpc/params.js';
import { SUBSCRIPTION_PARAMS, UNSUBSCRIBE_PARAMS } from '../rpc/paramLists.js';
import { programFilterParam, type AccountFilter } from '../rpc/programFilters.js';
import { invalidParams, RpcError } from '../rpc/rpcError.js';
import { blockViewParam } from '../rpc/blockEncoding.js';
import type { Interest } from './subscriptions.js';

type Reader = (params: Params) => Interest;

const readers: Readonly<Record<Interest['kind'], Reader>> = {
  slot: () => ({ kind: 'slot' }),
  root: () => ({ kind: 'root' }),
  slotsUpdates: () => ({ kind: 'slotsUpdates' }),
  vote: () => ({ kind: 'vote' }),
  block: (params) => {
    const config = configParam(params[1]);
    return {
      kind: 'block',
      mention: blockMentionOf(params[0] as string | Config),
      commitment: historyCommitment(config),
      view: blockViewParam(config, 'showRewards', 'base64'),
    };
  },
  signature: (params) => ({
    kind: 'signature',
    signature: provided('signature', () => signatureParam(params[0])),
    commitment: commitmentParam(configParam(params[1])),
  }),
  account: (params) => {
    const config = configParam(params[1]);
    return {
      kind: 'account',
      address: provided('pubkey', () => addressParam(params[0])),
      commitment: commitmentParam(config),
      view: accountViewParam(config),
    };
  },
  program: (params) => {
    const config = configParam(params[1]);
    return {
      kind: 'program',
      passes: filtersOf(config),
      program: provided('pubkey', () => addressParam(params[0])),
      commitment: commitmentParam(config),
      view: accountViewParam(config),
    };
  },
  logs: (params) => ({
    kind: 'logs',
    mention: mentionOf(params[0] as string | Config),
    votes: params[0] !== 'all',
    commitment: commitmentParam(configParam(params[1])),
  }),
};

/** Reads the parameters of a kind of subscription. @throws RpcError */
export function readInterest(kind: Interest['kind'], params: unknown): Interest {
  return readers[kind](readParams(SUBSCRIPTION_PARAMS[kind], params));
}

/** Reads the parameters of an unsubscription. @throws RpcError */
export function readSubscriptionId(params: unknown): number {
  return Number(readParams(UNSUBSCRIBE_PARAMS, params)[0]);
}

export function isInterestKind(kind: string): kind is Interest['kind'] {
  return Object.hasOwn(readers, kind);
}

function filtersOf(config: Config): AccountFilter {
  try {
    return programFilterParam(config['filters']);
  } catch (error) {
    if (error instanceof RpcError) throw invalidParams(`Invalid params: ${error.message}`);
    throw error;
  }
}

function mentionOf(filter: string | Config): Uint8Array | undefined {
  if (typeof filter === 'string') return undefined;
  const mentions = filter['mentions'] as readonly string[];
  if (mentions.length !== 1) throw invalidParams('Invalid Request: Only 1 address supported');
  return provided('mentions', () => addressParam(mentions[0]));
}

function blockMentionOf(filter: string | Config): Uint8Array | undefined {
  if (typeof filter === 'string') return undefined;
  return provided('mentionsAccountOrProgram', () => addressParam(filter['mentionsAccountOrProgram']));
}

/** Subscriptions name what is wrong in other words than calls. */
function provided(what: string, read: () => Uint8Array): Uint8Array {
  try {
    return read();
  } catch (error) {
    if (error instanceof RpcError) throw invalidParams(`Invalid Request: Invalid ${what} provided`);
    throw error;
  }
}
