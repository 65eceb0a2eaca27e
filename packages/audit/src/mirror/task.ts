import { formationOf, type TaskFacts, type TaskLedgerStatus } from '@legwork/program-client/facts';
import type { ReleaseReason, TaskStatus } from '@legwork/protocol/contract';
import { taskTermsHash } from '@legwork/protocol/rules';
import type { BarredAgentsTable, DigitalTaskRow } from '@legwork/server/schema';
import type { Selectable } from 'kysely';
import { readFor, rowBatches, ROWS_AT_ONCE, type Trx } from '../database.js';
import { by, type Findings } from '../findings.js';
import { compareEvents, type MirroredEvent } from './events.js';
import { compareEnd, compareTerms, departsFrom, type ListingKind, type Mirrored, type Shown } from './listing.js';
import { dueOfTask, releaseReasonOf } from './dueEvents.js';
import { compareTaskLegs, legsOf, type MirroredLeg } from './taskLegs.js';

type BarredRow = Pick<
  Selectable<BarredAgentsTable>,
  'task_id' | 'agent_pubkey' | 'leg_id' | 'reason' | 'release_signature'
>;

/** A digital task that is not a draft, with everything that hangs on it. */
interface MirroredTask {
  row: DigitalTaskRow;
  /** In their order. */
  legs: MirroredLeg[];
  barred: BarredRow[];
}

type Hanging = Pick<MirroredTask, 'legs' | 'barred'>;

/** Digital tasks with their legs, the agents that lost one, and their events. */
export const taskKind: ListingKind<TaskFacts, DigitalTaskRow, MirroredTask> = {
  name: 'digital task',
  topic: 'task',
  read: readTasks,
  addressOf: (row) => row.on_chain_task,
  countLegs: ({ legs }) => legs.length,
  compare,
  drafts: draftTasks,
  departs: (draft, task, asset) => departsFrom(draft, task, asset) || draft.num_legs !== task.numLegs,
  workDone: ({ assignments }) => (assignments.length > 0 ? 'assigned a leg of it' : undefined),
};

/** Every digital task but the drafts, by id. */
async function* readTasks(trx: Trx): AsyncGenerator<MirroredTask, void> {
  const batches = rowBatches<DigitalTaskRow>((after) => {
    const rows = trx.selectFrom('digital_tasks').selectAll().where('status', '<>', 'draft').orderBy('id');
    return (after ? rows.where('id', '>', after.id) : rows).limit(ROWS_AT_ONCE).execute();
  });
  for await (const rows of batches) {
    const hanging = await hangingOn(trx, rows);
    for (const row of rows) yield { row, ...(hanging.get(row.id) ?? { legs: [], barred: [] }) };
  }
}

/** The rows that hang on these tasks, by task. */
async function hangingOn(trx: Trx, tasks: readonly DigitalTaskRow[]): Promise<Map<string, Hanging>> {
  const ids = tasks.map((row) => row.id);
  const byTask = new Map<string, Hanging>(ids.map((id) => [id, { legs: [], barred: [] }]));
  for (const leg of await legsOf(trx, ids)) byTask.get(leg.task_id)?.legs.push(leg);
  const barred = trx
    .selectFrom('barred_agents')
    .select(['task_id', 'agent_pubkey', 'leg_id', 'reason', 'release_signature'])
    .where('task_id', 'in', ids)
    .orderBy('agent_pubkey');
  for (const row of await barred.execute()) byTask.get(row.task_id)?.barred.push(row);
  return byTask;
}

/** The drafts at these addresses. */
async function draftTasks(trx: Trx, addresses: readonly string[]): Promise<DigitalTaskRow[]> {
  return readFor(addresses, (some) =>
    trx
      .selectFrom('digital_tasks')
      .selectAll()
      .where('status', '=', 'draft')
      .where('on_chain_task', 'in', some)
      .execute(),
  );
}

const STATUS_HERE: Record<TaskLedgerStatus, TaskStatus> = {
  listed: 'listed',
  in_progress: 'in_progress',
  completed: 'completed',
  cancelled: 'failed',
  reclaimed: 'failed',
};

function compare({ found, events, asset }: Mirrored<MirroredTask>, task: TaskFacts, findings: Findings): void {
  const { row, legs } = found;
  const subject = `digital task ${row.id}`;
  compareTerms(subject, row, { listing: task, asset }, shownBy(found), findings);
  findings.same(subject, 'number of legs', row.num_legs, task.numLegs, task.listSignature);
  findings.same(subject, 'status', row.status, STATUS_HERE[task.status], task.statusSignature);
  const latest = task.assignments.at(-1)?.assignSignature ?? null;
  findings.same(subject, 'formation', row.formation, formationOf(task), latest);
  compareEnd(subject, row, task, findings);
  compareTaskLegs(row.id, legs, task, findings);
  compareBarred(found, task, findings);
  compareEvents(subject, events.filter(isOnLedger), dueOfTask(task), findings);
}

function shownBy({ row, legs }: MirroredTask): Shown {
  const { title, description, requirements, salt } = row;
  const instructions = legs.map((leg) => leg.instruction);
  const hash = () => taskTermsHash({ title, description, instructions, requirements, salt });
  const what = requirements === null ? 'description and instructions' : 'description, instructions and requirements';
  return { what: `title, ${what}`, hash };
}

/** Compares who lost a leg of a digital task, and by which transaction. Rule M-57. */
function compareBarred({ row, legs, barred }: MirroredTask, task: TaskFacts, findings: Findings): void {
  const subject = `digital task ${row.id}`;
  const released = task.assignments.filter((assignment) => assignment.releaseSignature !== null);
  for (const { agent_pubkey: agent, leg_id: legId, reason, release_signature: signature } of barred) {
    const found =
      released.find((one) => one.courier === agent && one.releaseSignature === signature) ??
      released.findLast((one) => one.courier === agent);
    const release = found?.releaseSignature ?? null;
    findings.same(subject, `release signature of barred agent ${agent}`, signature, release, release);
    const index = legs.find((leg) => leg.id === legId)?.leg_index ?? null;
    if (!found) continue;
    findings.same(subject, `number of the leg of barred agent ${agent}`, index, found.index, release);
    const why = releaseReasonOf(task, found);
    if (why !== undefined) findings.same(subject, `reason of barred agent ${agent}`, reason, why, release);
  }
  for (const { courier: agent, index, releaseSignature } of released) {
    if (barred.some((one) => one.agent_pubkey === agent)) continue;
    findings.differ(subject, `agent ${agent} is not barred here, and lost leg ${index}${by(releaseSignature)}`);
  }
}

/** A claim that ended before the ledger assigned it leaves a release without a signature, of which the ledger says nothing. */
function isOnLedger({ type, payload }: MirroredEvent): boolean {
  if (type !== 'TASK_LEG_RELEASED' || payload['signature'] !== undefined) return true;
  return !OFF_LEDGER.includes(payload['reason']);
}

const OFF_LEDGER: readonly unknown[] = ['withdrawn', 'lapsed', 'refused'] satisfies ReleaseReason[];
