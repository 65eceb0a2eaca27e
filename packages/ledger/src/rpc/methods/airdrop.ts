import { blockhashParam, addressParam, configParam, requireParams, u64Param } from '../params.js';
import { RPC_CODES, RpcError } from '../rpcError.js';
import type { RpcMethod, RpcMethods } from '../context.js';

const requestAirdrop: RpcMethod = async (params, context) => {
  requireParams(params, 2);
  const recipient = addressParam(params[0], 'recipient');
  const lamports = u64Param(params[1], 'lamports');
  const wanted = configParam(params[2])['recentBlockhash'];
  if (wanted !== undefined && wanted !== null) blockhashParam(wanted);
  const outcome = await context.faucet.airdrop(recipient, lamports);
  if (outcome.kind === 'refused') throw new RpcError(RPC_CODES.internalError, `airdrop request failed: ${outcome.why}`);
  return outcome.signature;
};

export const airdropMethods: RpcMethods = { requestAirdrop };
