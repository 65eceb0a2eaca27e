import { getTransactionDecoder } from '@solana/kit';
import type { AppContext } from '../context.js';
import type { OpenTransaction } from '../db/finality.js';
import { readTaskLegAccount } from '../ledger/accounts.js';
import { instructionsIn } from '../ledger/compile.js';
import type { Ledger } from '../ledger/ledger.js';
import { sendSigned } from '../ledger/submitTransaction.js';

/** A transaction that went missing, whose bytes may still land. */
type Missing = Pick<OpenTransaction, 'signature' | 'instructions'> & { bytes: Buffer };

/** Sends the same bytes again, unless they would do something else now than what was shown of them. Rule S-105. */
export async function sendAgain({ ledger, log }: AppContext, missing: Missing): Promise<void> {
  if (!(await releasesWhomItNames(ledger, missing))) return;
  // The transactions before it may be missing too: it would fail for good.
  await sendSigned(ledger, missing.bytes, { skipPreflight: false });
  log.info({ transaction: missing.signature }, 'a transaction went missing on the ledger and is sent again');
}

/**
 * Where the ledger has given the leg to another agent first, that one would lose it to a release that names a former one, although
 * nobody decided so. The program refuses that (P-79), but for its former versions.
 */
async function releasesWhomItNames(ledger: Ledger, { instructions, bytes }: Missing): Promise<boolean> {
  if (!instructions.includes('releaseTaskLeg')) return true;
  for (const instruction of instructionsIn(ledger.programAddress, getTransactionDecoder().decode(bytes))) {
    if (instruction.name !== 'releaseTaskLeg') continue;
    const { taskLeg, agent } = instruction.accounts;
    const held = await readTaskLegAccount(ledger, taskLeg.address);
    if (held?.agent !== agent?.address) return false;
  }
  return true;
}
