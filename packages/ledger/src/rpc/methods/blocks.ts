import { once } from 'node:events';
import { blockViewParam, encodeBlock } from '../blockEncoding.js';
import { requireMinContextSlot, type RpcContext, type RpcMethod, type RpcMethods } from '../context.js';
import { encodingConfigParam, historyCommitment, configParam, u64Param, type Config } from '../params.js';
import { invalidParams, RPC_CODES, RpcError } from '../rpcError.js';

/** The most blocks that one call lists. */
const MAX_RANGE = 500_000n;

const getBlock: RpcMethod = async (params, context) => {
  const wanted = u64Param(params[0], 'slot');
  const config = encodingConfigParam(params[1]);
  const view = blockViewParam(config, 'rewards', 'json');
  const { bank, store } = context;
  if (wanted > bank.slotAt(historyCommitment(config))) {
    throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${wanted}`);
  }
  const slot = Number(wanted);
  await complete(slot, context);
  return encodeBlock(slot, view.details === 'none' ? [] : store.placesIn(slot), view, context);
};

/**
 * Waits until a block can no longer change. A transaction is confirmed at once here, so the block that it is in may
 * still be growing when its client asks for it; on a cluster such a block is never seen.
 */
async function complete(slot: number, { bank }: RpcContext): Promise<void> {
  while (slot >= bank.slotAt('processed')) await once(bank, 'slot');
  await bank.durable();
}

const getBlocks: RpcMethod = (params, context) => {
  const first = u64Param(params[0], 'startSlot');
  const hasEnd = params[1] !== undefined && params[1] !== null && typeof params[1] !== 'object';
  const config = configParam(params[2] ?? (hasEnd ? undefined : params[1]));
  const end = hasEnd ? u64Param(params[1], 'endSlot') : first + MAX_RANGE;
  const last = smaller(end, newestSlot(config, context));
  if (last - first > MAX_RANGE) throw invalidParams(`Slot range too large; max ${MAX_RANGE}`);
  return slots(first, last);
};

const getBlocksWithLimit: RpcMethod = (params, context) => {
  const first = u64Param(params[0], 'startSlot');
  const limit = u64Param(params[1], 'limit');
  const newest = newestSlot(configParam(params[2]), context);
  if (limit > MAX_RANGE) throw invalidParams(`Limit too large; max ${MAX_RANGE}`);
  return slots(first, smaller(first + limit - 1n, newest));
};

/** The latest slot whose block may be listed. */
function newestSlot(config: Config, context: RpcContext): bigint {
  const commitment = historyCommitment(config);
  requireMinContextSlot(config, commitment, context);
  return BigInt(context.bank.slotAt(commitment));
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** The slots from one to another; none when they are in the wrong order. Each of them has a block. */
function slots(first: bigint, last: bigint): number[] {
  return Array.from({ length: Math.max(0, Number(last - first) + 1) }, (_, index) => Number(first) + index);
}

export const blockMethods: RpcMethods = { getBlock, getBlocks, getBlocksWithLimit };
