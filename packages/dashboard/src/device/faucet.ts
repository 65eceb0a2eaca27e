import { ask, isLedgerAnswer } from '@legwork/program-client/history';
import { LAMPORTS_PER_SOL, type ServiceConfig } from '@legwork/sdk';
import { address, lamports } from '@solana/kit';
import { ledgerRpc, readAccount } from '../data/ledger.js';
import { t } from '../language.js';

/** Until it lands, slots may pass. */
const LOOKS = 60;
const PAUSE_MS = 500;

/** What an account holds, lamports. @throws Error in words for people */
async function balanceOf(account: string): Promise<bigint> {
  return (await readAccount(account))?.lamports ?? 0n;
}

/**
 * Asks the faucet of a test network for 1 SOL, and waits until it has come.
 *
 * @throws Error in words for people: that the faucet refuses, or does not answer
 */
export async function askFaucet(account: string, cluster: ServiceConfig['cluster']): Promise<void> {
  const before = await balanceOf(account);
  const { rpc } = await ledgerRpc();
  try {
    await ask(rpc.requestAirdrop(address(account), lamports(LAMPORTS_PER_SOL), { commitment: 'confirmed' }));
  } catch (error) {
    if (!isLedgerAnswer(error)) throw error;
    throw new Error(
      t(
        'The {cluster} faucet gives nothing now. Try again later, or ask somebody to send test SOL to the address below.',
        { cluster },
      ),
      { cause: error },
    );
  }
  for (let look = 0; look < LOOKS; look += 1) {
    if ((await balanceOf(account)) > before) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(
    t('The {cluster} faucet has sent it, but the ledger does not show it yet. Check again in a minute.', { cluster }),
  );
}
