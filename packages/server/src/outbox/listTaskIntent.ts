import { address } from '@solana/kit';
import { readTaskAccount } from '../ledger/accounts.js';
import { findTransactionOf } from '@legwork/program-client/history';
import { recordTaskListed, taskListingDepartures } from '../mirror/taskListed.js';
import { listTaskInstruction } from '../ledger/taskInstructions.js';
import { listingIntent } from './listingIntent.js';
import { taskOf } from './taskOf.js';

export const listTaskIntent = listingIntent({
  draft: taskOf,
  instruction: (ledger, draft) => listTaskInstruction(ledger, draft, ledger.coordinator, address(draft.shipper_pubkey)),
  async find(ledger, draft) {
    if ((await readTaskAccount(ledger, draft.on_chain_task)) === undefined) return undefined;
    return findTransactionOf(
      ledger,
      draft.on_chain_task,
      (instruction) => taskListingDepartures(instruction, draft)?.length === 0,
    );
  },
  record: recordTaskListed,
});
