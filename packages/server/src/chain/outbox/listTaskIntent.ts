import { address } from '@solana/kit';
import { readTaskAccount } from '../accounts.js';
import { findTransactionOf } from '@legwork/program-client/history';
import { recordTaskListed, taskListingDepartures } from '../projections/taskListed.js';
import { listTaskInstruction } from '../taskInstructions.js';
import { listingIntent } from './listingIntent.js';
import { taskOf } from './taskOf.js';

export const listTaskIntent = listingIntent({
  draft: taskOf,
  instruction: (chain, draft) => listTaskInstruction(chain, draft, chain.coordinator, address(draft.shipper_pubkey)),
  async find(chain, draft) {
    if ((await readTaskAccount(chain, draft.on_chain_task)) === undefined) return undefined;
    return findTransactionOf(
      chain,
      draft.on_chain_task,
      (instruction) => taskListingDepartures(instruction, draft)?.length === 0,
    );
  },
  record: recordTaskListed,
});
