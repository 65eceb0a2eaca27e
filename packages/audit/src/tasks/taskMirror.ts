import { type Selectable, sql } from 'kysely';
import type { Trx } from '../database.js';
import type { BarredAgentsTable, DigitalLegRow, DigitalTaskRow } from '@legwork/server/schema';
import { readFor, rowBatches, ROWS_AT_ONCE } from '../rowBatches.js';

type BarredRow = Pick<Selectable<BarredAgentsTable>, 'task_id' | 'agent_pubkey' | 'leg_id' | 'release_signature'>;

const COLUMNS_OF_LEG = [
  'id',
  'task_id',
  'leg_index',
  'instruction',
  'status',
  'on_chain_leg',
  'agent_pubkey',
  'assign_signature',
  'result_hash',
  'confirm_signature',
  'payment_lamports',
] as const satisfies readonly (keyof DigitalLegRow)[];

/** A leg without its result, which may be long, but with the hash of that. */
export type MirroredLeg = Pick<DigitalLegRow, (typeof COLUMNS_OF_LEG)[number]> & {
  /** The sha256 of its UTF-8 bytes, hexadecimal. */
  hash_of_result: string | null;
};

const hashOfResult = sql<string | null>`encode(sha256(convert_to(result, 'UTF8')), 'hex')`.as('hash_of_result');

/** A digital task that is not a draft, with everything that hangs on it. */
export interface MirroredTask {
  row: DigitalTaskRow;
  /** In their order. */
  legs: MirroredLeg[];
  barred: BarredRow[];
}

type Hanging = Pick<MirroredTask, 'legs' | 'barred'>;

/** What hangs on these tasks, by task. */
async function hangingOn(trx: Trx, tasks: readonly DigitalTaskRow[]): Promise<Map<string, Hanging>> {
  const ids = tasks.map((row) => row.id);
  const byTask = new Map<string, Hanging>(ids.map((id) => [id, { legs: [], barred: [] }]));
  const legs = trx
    .selectFrom('digital_legs')
    .select([...COLUMNS_OF_LEG, hashOfResult])
    .where('task_id', 'in', ids)
    .orderBy('leg_index');
  for (const leg of await legs.execute()) byTask.get(leg.task_id)?.legs.push(leg);
  const barred = trx
    .selectFrom('barred_agents')
    .select(['task_id', 'agent_pubkey', 'leg_id', 'release_signature'])
    .where('task_id', 'in', ids)
    .orderBy('agent_pubkey');
  for (const row of await barred.execute()) byTask.get(row.task_id)?.barred.push(row);
  return byTask;
}

/** Every digital task but the drafts, by id. */
export async function* readTasks(trx: Trx): AsyncGenerator<MirroredTask, void> {
  const batches = rowBatches<DigitalTaskRow>((after) => {
    const rows = trx.selectFrom('digital_tasks').selectAll().where('status', '<>', 'draft').orderBy('id');
    return (after ? rows.where('id', '>', after.id) : rows).limit(ROWS_AT_ONCE).execute();
  });
  for await (const rows of batches) {
    const hanging = await hangingOn(trx, rows);
    for (const row of rows) yield { row, ...(hanging.get(row.id) ?? { legs: [], barred: [] }) };
  }
}

/** The drafts at these addresses. */
export async function draftTasks(trx: Trx, addresses: readonly string[]): Promise<DigitalTaskRow[]> {
  return readFor(addresses, (some) =>
    trx
      .selectFrom('digital_tasks')
      .selectAll()
      .where('status', '=', 'draft')
      .where('on_chain_task', 'in', some)
      .execute(),
  );
}
