import type { AppContext } from '../context.js';
import { findTask } from '../db/digitalTasks.js';
import { type LeasedIntent, taskIdOf } from '../db/outbox.js';
import type { DigitalTaskRow } from '../db/schema.js';

/** The digital task that the intent is about as a whole. */
export async function taskOf({ db }: AppContext, intent: LeasedIntent): Promise<DigitalTaskRow> {
  const task = await findTask(db, taskIdOf(intent));
  if (!task) throw new Error(`intent ${intent.id} names a digital task that does not exist`);
  return task;
}
