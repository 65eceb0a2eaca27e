import type { TaskStatus } from '@legwork/protocol/contract';
import { taskTermsHash } from '@legwork/protocol/rules';
import type { DigitalTaskRow } from '@legwork/server/schema';
import { compareEvents } from '../compareEvents.js';
import type { Findings } from '../findings.js';
import type { ListingKind, Mirrored } from '../listingKind.js';
import { compareEnd, compareTerms, departsFrom, type Shown } from '../listingRow.js';
import { compareBarred } from './compareBarred.js';
import { compareTaskLegs } from './compareTaskLegs.js';
import { dueEvents, isOnLedger } from './taskEvents.js';
import type { TaskFacts, TaskLedgerStatus } from './taskFacts.js';
import { draftTasks, type MirroredTask, readTasks } from './taskMirror.js';

const STATUS_HERE: Record<TaskLedgerStatus, TaskStatus> = {
  listed: 'listed',
  in_progress: 'in_progress',
  completed: 'completed',
  cancelled: 'failed',
  reclaimed: 'failed',
};

function shownBy({ row, legs }: MirroredTask): Shown {
  const { title, description } = row;
  const instructions = legs.map((leg) => leg.instruction);
  const hash = () => taskTermsHash({ title, description, instructions });
  return { what: 'title, description and instructions', hash };
}

function compare({ found, events }: Mirrored<MirroredTask>, task: TaskFacts, findings: Findings): void {
  const { row, legs } = found;
  const subject = `digital task ${row.id}`;
  compareTerms(subject, row, task, shownBy(found), findings);
  findings.same(subject, 'number of legs', row.num_legs, task.numLegs, task.listSignature);
  findings.same(subject, 'status', row.status, STATUS_HERE[task.status], task.statusSignature);
  compareEnd(subject, row, task, findings);
  compareTaskLegs(row.id, legs, task, findings);
  compareBarred(found, task, findings);
  compareEvents(subject, events.filter(isOnLedger), dueEvents(task), findings);
}

/** Digital tasks with their legs, the agents that lost one, and their events. */
export const taskKind: ListingKind<TaskFacts, DigitalTaskRow, MirroredTask> = {
  name: 'digital task',
  topic: 'task',
  read: readTasks,
  addressOf: (row) => row.on_chain_task,
  countLegs: ({ legs }) => legs.length,
  compare,
  drafts: draftTasks,
  departs: (draft, task) => departsFrom(draft, task) || draft.num_legs !== task.numLegs,
  workDone: ({ steps }) => (steps.length > 0 ? 'assigned a leg of it' : undefined),
};
