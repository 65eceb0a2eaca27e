import { addressParam, blockhashParam, configParam, u64Param } from '../params.js';
import type { RpcMethod, RpcMethods } from '../context.js';

/** Answers a signature always, like `sendTransaction` without preflight: its status tells whether it landed. */
const requestAirdrop: RpcMethod = async (params, { faucet }) => {
  const recipient = addressParam(params[0]);
  const lamports = u64Param(params[1], 'lamports');
  const wanted = configParam(params[2])['recentBlockhash'];
  const blockhash = wanted === undefined ? undefined : blockhashParam(wanted);
  return (await faucet.airdrop(recipient, lamports, blockhash)).signature;
};

export const airdropMethods: RpcMethods = { requestAirdrop };
