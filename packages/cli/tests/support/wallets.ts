import { setTimeout as sleep } from 'node:timers/promises';
import {
  createKeyPairSignerFromPrivateKeyBytes,
  type Rpc,
  type SolanaRpcApi,
  type KeyPairSigner,
  lamports,
} from '@solana/kit';

/** The ledger's JSON-RPC. */
export type LedgerRpc = Rpc<SolanaRpcApi>;

/** A new wallet with that many lamports from the faucet. */
export async function fundedWallet(rpc: LedgerRpc, amount: bigint): Promise<KeyPairSigner> {
  const wallet = await createKeyPairSignerFromPrivateKeyBytes(crypto.getRandomValues(new Uint8Array(32)));
  await rpc.requestAirdrop(wallet.address, lamports(amount), { commitment: 'confirmed' }).send();
  while ((await balanceOf(rpc, wallet)) < amount) await sleep(20);
  return wallet;
}

/** The balance of the wallet, in lamports. */
export async function balanceOf(rpc: LedgerRpc, wallet: { address: KeyPairSigner['address'] }): Promise<bigint> {
  const { value } = await rpc.getBalance(wallet.address, { commitment: 'confirmed' }).send();
  return value;
}
