import { readTaskLegAccount } from '../ledger/accounts.js';
import { recordTaskLegReleased } from '../mirror/taskLegReleased.js';
import { releaseTaskLegInstruction } from '../ledger/taskInstructions.js';
import { legIntent } from './legIntent.js';
import { tryAgain } from './tryAgain.js';

/** Takes a leg from the agent that gave it back, or let its time run out. Rule M-57. */
export const releaseTaskLegIntent = legIntent({
  due: 'in_progress',
  async instruction({ ledger }, { task, leg }) {
    const account = await readTaskLegAccount(ledger, leg.on_chain_leg);
    if (account?.agent !== leg.agent_pubkey) {
      throw new Error(`the ledger does not show leg ${leg.id} with ${leg.agent_pubkey}`);
    }
    return releaseTaskLegInstruction(ledger, task, leg, account.rentPayer);
  },
  // A release names no agent. One that landed all the same the watcher mirrors, and nothing is left to do here.
  find: async () => undefined,
  record: (trx, leg, { signature }) => recordTaskLegReleased(trx, leg, signature),
  refused: (context, intent, _claim, failure) => tryAgain(context, intent, failure),
});
