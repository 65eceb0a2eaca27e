import type { Bank } from '../bank/bank.js';
import type { Commitment } from '../bank/commitment.js';
import type { Fork } from '../fork/fork.js';
import type { Faucet } from '../genesis/faucet.js';
import type { Store } from '../store/store.js';
import { commitmentParam, u64Param, type Config, type Params } from './params.js';
import type { Performance } from './performance.js';
import { RPC_CODES, RpcError } from './rpcError.js';

/** The version of Solana in the ledger's engine, by which clients choose their behaviour. */
export const SOLANA_VERSION = '4.2.1';

/** The parts that the methods work on. */
export type RpcContext = {
  readonly bank: Bank;
  readonly store: Store;
  readonly faucet: Faucet;
  readonly genesisHash: string;
  readonly identity: string;
  readonly performance: Performance;
  /** Where the ledger listens, once it does. */
  readonly endpoints: Endpoints;
  /** The cluster that the ledger forks. */
  readonly fork: Fork | undefined;
};

/** Socket addresses, `127.0.0.1:8899`; none when the host is a name. */
export type Endpoints = { rpc?: string; pubsub?: string };

export type RpcMethod = (params: Params, context: RpcContext) => unknown;

export type RpcMethods = Readonly<Record<string, RpcMethod>>;

/** The commitment of a call. @throws RpcError when the ledger has not reached its `minContextSlot` */
export function readCommitment(config: Config, context: RpcContext): Commitment {
  const commitment = commitmentParam(config);
  requireMinContextSlot(config, commitment, context);
  return commitment;
}

export function requireMinContextSlot(config: Config, commitment: Commitment, { bank }: RpcContext): void {
  if (config['minContextSlot'] === undefined || config['minContextSlot'] === null) return;
  const wanted = u64Param(config['minContextSlot'], 'minContextSlot');
  const slot = bank.slotAt(commitment);
  if (slot < wanted) {
    throw new RpcError(RPC_CODES.minContextSlotNotReached, 'Minimum context slot has not been reached', {
      contextSlot: slot,
    });
  }
}

/** A result with the slot that it describes. */
export function withContext(bank: Bank, commitment: Commitment, value: unknown): object {
  return { context: { apiVersion: SOLANA_VERSION, slot: bank.slotAt(commitment) }, value };
}
