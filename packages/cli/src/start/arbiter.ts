import { loadOrCreateKeypair } from '@legwork/ledger';
import { createSolanaRpc, lamports } from '@solana/kit';
import { arbiterKeyFile } from '../paths.js';
import type { LedgerProcess } from './ledgerProcess.js';

/** What the key is given to pay fees with. */
const FUNDS = lamports(1_000_000_000n);

/**
 * Who rules disputes on a ledger of this machine: a key in the data folder, made where there is none, that `legwork arbiter` signs with.
 * The service gets its address.
 *
 * @returns the service's setting; none where the ledger is elsewhere, or the environment names somebody
 */
export async function arbiterOf(ledger: LedgerProcess | undefined, dataDir: string): Promise<Record<string, string>> {
  if (!ledger || process.env['ARBITER_PUBKEY']) return {};
  const { address } = await loadOrCreateKeypair(arbiterKeyFile(dataDir));
  const rpc = createSolanaRpc(ledger.facts.rpcUrl);
  const { value } = await rpc.getBalance(address, { commitment: 'confirmed' }).send();
  if (value === 0n) await rpc.requestAirdrop(address, FUNDS, { commitment: 'confirmed' }).send();
  return { ARBITER_PUBKEY: address };
}
