import { TaskStatus } from '@legwork/program-client';
import { type operations, RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../../context.js';
import { findTask, isTaskListed } from '../../db/digitalTasks.js';
import type { DigitalTaskRow } from '../../db/schema.js';
import { readTaskAccount } from '../../ledger/accounts.js';
import { taskListingDepartures } from '../../mirror/task.js';
import { type DraftListing, notAnyMore, submitListing } from '../listing.js';
import { fieldOf } from '../proof.js';
import type { Run } from '../run.js';
import { readTask } from './view.js';

const BUILT_BY = 'POST /digital-tasks/build-tx';

export const submitDigitalTask: Run<typeof operations.submitDigitalTask> = async (context, input) => {
  const draft = await findTask(context.db, input.taskId);
  if (!draft) throw RelayError.field('not_found', 'taskId', `no draft has this id; build one with ${BUILT_BY}`);
  const listing = listingOf(context, draft);
  if (!isTaskListed(draft)) await submitListing(context, listing, input);
  const listed = await findTask(context.db, draft.id);
  if (!listed || !isTaskListed(listed)) throw new Error(`task ${draft.id} was listed and is not`);
  if (listed.failure_reason === 'cancelled') throw notAnyMore(listing, fieldOf(input), 'this task as Cancelled');
  return { answer: await readTask(context, draft.id) };
};

function listingOf({ ledger, db }: AppContext, draft: DigitalTaskRow): DraftListing {
  return {
    noun: 'task',
    builtBy: BUILT_BY,
    departures: (instruction) => taskListingDepartures(instruction, draft),
    shown: async (since) => {
      const account = await readTaskAccount(ledger, draft.on_chain_task, since);
      return account && TaskStatus[account.status];
    },
    isMirrored: async () => {
      const row = await findTask(db, draft.id);
      return row !== undefined && isTaskListed(row);
    },
  };
}
