import { LEG_WITHOUT_RESULT, type LegWithoutResult } from './schema/tasks.js';
import {
  type MachineEvent,
  type MachineName,
  type MachineStatus,
  type PackageStatus,
  TRANSITIONS,
} from '@legwork/protocol/contract';
import { type Expression, type ExpressionBuilder, type RawBuilder, sql, type SqlBool, type UpdateObject } from 'kysely';
import type { Trx } from './connect.js';
import type { Database } from './schema.js';

const TABLES = {
  package: 'packages',
  swarm: 'swarms',
  leg: 'legs',
  task: 'digital_tasks',
  digitalLeg: 'digital_legs',
} as const satisfies Record<MachineName, keyof Database>;

type Table<M extends MachineName> = (typeof TABLES)[M];

/** The status of a new row. Rule M-9. */
export const INITIAL_STATUS = {
  package: 'draft',
  swarm: 'forming',
  leg: 'pending',
  task: 'draft',
  digitalLeg: 'pending',
} as const satisfies MachineStatus;

/** What `transition` returns of a row: of a digital leg everything but its result, which may be large. */
type Row<M extends MachineName> = M extends 'digitalLeg' ? LegWithoutResult : { id: string };

type Columns<M extends MachineName> = UpdateObject<Database, Table<M>>;
type Fence<M extends MachineName> = (eb: ExpressionBuilder<Database, Table<M>>) => Expression<SqlBool>;

/**
 * Moves a row to the status that the event leads to. Only this, {@link transitionAll} and {@link putBack} change a status.
 *
 * @param change - `columns` are written with the status; `fence` must hold of the row too
 * @returns what is read of the row with its new status; undefined when nothing was changed: the event cannot happen in the row's status, or
 *   the fence does not hold
 */
export async function transition<M extends MachineName>(
  trx: Trx,
  machine: M,
  id: string,
  event: MachineEvent[M],
  change: { columns?: Columns<M>; fence?: Fence<M> } = {},
): Promise<Row<M> | undefined> {
  const update = updateStatus(trx, machine, event, change.columns).where('id', '=', id);
  const fenced = change.fence ? update.where(change.fence as unknown as Fence<'package'>) : update;
  const columns = machine === 'digitalLeg' ? (LEG_WITHOUT_RESULT as unknown as ['id']) : (['id'] as const);
  return (await fenced.returning(columns).executeTakeFirst()) as Row<M> | undefined;
}

/** Does the same, in one statement, for every row that meets the condition. */
export async function transitionAll<M extends MachineName>(
  trx: Trx,
  machine: M,
  where: Fence<M>,
  event: MachineEvent[M],
  columns: Columns<M>,
): Promise<void> {
  await updateStatus(trx, machine, event, columns)
    .where(where as unknown as Fence<'package'>)
    .execute();
}

/** Puts rows back to the status of new ones, with these columns: their listing is written again from the ledger. */
export async function putBack(
  trx: Trx,
  machine: MachineName,
  { columns, where }: { columns: RawBuilder<unknown>; where: RawBuilder<unknown> },
): Promise<void> {
  await sql`update ${sql.table(TABLES[machine])} set status = ${INITIAL_STATUS[machine]}, ${columns} where ${where}`.execute(
    trx,
  );
}

/** Kysely cannot type a query on one of several tables: inside, each of them counts as `packages`. */
function updateStatus<M extends MachineName>(trx: Trx, machine: M, event: MachineEvent[M], columns?: Columns<M>) {
  const rows = TRANSITIONS[machine].filter((row) => row.event === event);
  const outcomes = sql.join(
    rows.map(({ from, to }) => sql`when ${from} then ${to}`),
    sql` `,
  );
  return trx
    .updateTable(TABLES[machine] as 'packages')
    .set({ ...columns, status: sql<never>`case status ${outcomes} end` })
    .where('status', 'in', rows.map(({ from }) => from) as PackageStatus[]);
}
