import { fetchRelayAccounts } from '@legwork/sdk';
import type { Address, Signature } from '@solana/kit';
import { balanceOf, type LedgerRpc } from './wallets.js';

/** All the money there is, outside the faucet, at one moment. */
export interface Books {
  readonly wallets: ReadonlyMap<Address, bigint>;
  /** In accounts of the program and in vaults. */
  readonly inProgram: bigint;
  /** Transactions that were there already. */
  readonly seen: ReadonlySet<Signature>;
}

/** The balances on the ledger now, in lamports. */
export async function readBooks(rpc: LedgerRpc, programId: string, wallets: readonly Address[]): Promise<Books> {
  const balances = new Map<Address, bigint>();
  const seen = new Set<Signature>();
  for (const address of wallets) {
    balances.set(address, await balanceOf(rpc, { address }));
    for (const { signature } of await historyOf(rpc, address)) seen.add(signature);
  }
  const accounts = await fetchRelayAccounts(rpc, programId);
  const inProgram = accounts.map(
    (account) => account.lamports + ('vaultLamports' in account ? account.vaultLamports : 0n),
  );
  return { wallets: balances, inProgram: inProgram.reduce((sum, amount) => sum + amount, 0n), seen };
}

/** Which fees each wallet has paid since, in lamports, and for how many transactions. */
export async function feesSince(
  rpc: LedgerRpc,
  before: Books,
): Promise<Map<Address, { lamports: bigint; transactions: number }>> {
  const fees = new Map([...before.wallets.keys()].map((wallet) => [wallet, { lamports: 0n, transactions: 0 }]));
  const counted = new Set(before.seen);
  for (const wallet of before.wallets.keys()) {
    for (const { signature } of await historyOf(rpc, wallet)) {
      if (counted.has(signature)) continue;
      counted.add(signature);
      const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
      const found = await rpc.getTransaction(signature, options).send();
      const payer = found?.transaction.message.accountKeys[0];
      const paid = payer && fees.get(payer);
      if (!paid) throw new Error(`${signature} was paid by ${payer}, who is none of these wallets`);
      paid.lamports += found.meta?.fee ?? 0n;
      paid.transactions += 1;
    }
  }
  return fees;
}

async function historyOf(rpc: LedgerRpc, address: Address) {
  return rpc.getSignaturesForAddress(address, { commitment: 'confirmed' }).send();
}
