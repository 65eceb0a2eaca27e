import type { Artifact, DigitalLegStatus } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import type { DigitalLegRow } from '@legwork/server/schema';
import { sql } from 'kysely';
import type { Trx } from '../database.js';
import { by, type Findings } from '../findings.js';
import { endSignatureOf } from '../replay/listing.js';
import { type AssignmentFacts, assignmentsOf, type TaskFacts } from '../replay/task.js';

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
  /** What its text and its files hash to, hexadecimal. */
  hash_of_result: string | null;
  is_erased: boolean;
};

const isErased = sql<boolean>`exists (
  select from digital_tasks where digital_tasks.id = task_id and erased_at is not null)`.as('is_erased');
const hashOfResult = sql<string | null>`encode(sha256(convert_to(result, 'UTF8')), 'hex')`.as('hash_of_result');

/** The legs of these tasks, in their order. */
export async function legsOf(trx: Trx, taskIds: readonly string[]): Promise<MirroredLeg[]> {
  const legs = await trx
    .selectFrom('digital_legs')
    .select([...COLUMNS_OF_LEG, hashOfResult, isErased])
    .where('task_id', 'in', taskIds)
    .orderBy('leg_index')
    .execute();
  const withFiles = await hashesWithFiles(trx, taskIds);
  return legs.map((leg) => ({ ...leg, hash_of_result: withFiles.get(leg.id) ?? leg.hash_of_result }));
}

/** The hashes of results that have files, by leg. */
async function hashesWithFiles(trx: Trx, taskIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await trx
    .selectFrom('digital_legs')
    .innerJoin('artifacts', (join) =>
      join.onRef('artifacts.leg_id', '=', 'digital_legs.id').onRef('artifacts.claim', '=', 'digital_legs.claim'),
    )
    .select(['digital_legs.id', 'result', 'sha256', 'bytes', 'name', 'content_type'])
    .where('task_id', 'in', taskIds)
    .where('result', 'is not', null)
    .where('position', 'is not', null)
    .orderBy('position')
    .$narrowType<{ result: string; name: string; content_type: string }>()
    .execute();
  const results = new Map<string, { text: string; files: Artifact[] }>();
  for (const { id, result: text, sha256, bytes, name, content_type: contentType } of rows) {
    const { files } = results.get(id) ?? { files: [] };
    results.set(id, { text, files: [...files, { sha256, bytes: Number(bytes), name, contentType }] });
  }
  return new Map([...results].map(([id, { text, files }]) => [id, resultHash(text, files).hex]));
}

/** What the ledger says of the leg of an index. */
interface LegOnLedger {
  /** Null: it was never given to anybody, and has no account. */
  address: string | null;
  status: DigitalLegStatus;
  /** Of the transaction that made the status what it is; null: none did. */
  statusSignature: string | null;
  /** Who has the leg, and what became of it; undefined: nobody. */
  held: AssignmentFacts | undefined;
}

/** Compares the legs of a digital task, of which the ledger knows the number, and those that it gave to agents. */
export function compareTaskLegs(
  taskId: string,
  rows: readonly MirroredLeg[],
  task: TaskFacts,
  findings: Findings,
): void {
  for (let index = 0; index < task.numLegs; index += 1) {
    const row = rows.find((candidate) => candidate.leg_index === index);
    if (row) compareLeg(row, legOnLedger(task, index), findings);
    else findings.differ(`digital task ${taskId}`, `leg ${index} has no row here${by(task.listSignature)}`);
  }
  for (const row of rows) {
    if (row.leg_index < task.numLegs) continue;
    findings.differ(`digital leg ${row.id}`, `is leg ${row.leg_index} here; the ledger's task has none of that number`);
  }
}

function legOnLedger(task: TaskFacts, index: number): LegOnLedger {
  const last = assignmentsOf(task).findLast((assignment) => assignment.index === index);
  const held = last?.releaseSignature === null ? last : undefined;
  return { address: last?.address ?? null, held, ...stateOf(task, last) };
}

/** @param last - the leg's latest assignment */
function stateOf(task: TaskFacts, last: AssignmentFacts | undefined): Pick<LegOnLedger, 'status' | 'statusSignature'> {
  if (last?.confirmed) return { status: 'completed', statusSignature: last.confirmed.signature };
  const ended = endSignatureOf(task);
  if (ended !== null) return { status: 'failed', statusSignature: ended };
  if (last?.releaseSignature === null) return { status: 'in_progress', statusSignature: last.assignSignature };
  return { status: 'pending', statusSignature: last?.releaseSignature ?? null };
}

function compareLeg(
  row: MirroredLeg,
  { address, status, statusSignature, held }: LegOnLedger,
  findings: Findings,
): void {
  const subject = `digital leg ${row.id}`;
  const assigned = held?.assignSignature ?? null;
  findings.same(subject, 'status', row.status, status, statusSignature);
  if (address !== null) findings.same(subject, 'address', row.on_chain_leg, address, statusSignature);
  // Without an agent on the ledger a leg may be reserved, or about to be assigned, here.
  if (held) findings.same(subject, 'agent', row.agent_pubkey, held.agent, assigned);
  findings.same(subject, 'assign signature', row.assign_signature, assigned, assigned);
  compareConfirmation(row, held, findings);
}

function compareConfirmation(row: MirroredLeg, held: AssignmentFacts | undefined, findings: Findings): void {
  const subject = `digital leg ${row.id}`;
  const signature = held?.confirmed?.signature ?? null;
  const payment = held?.confirmed ? held.paymentLamports : null;
  findings.same(subject, 'confirm signature', row.confirm_signature, signature, signature);
  findings.same(subject, 'payment in lamports', row.payment_lamports, payment, signature);
  if (!held?.confirmed) return;
  findings.same(subject, 'result hash', row.result_hash, held.confirmed.resultHash, signature);
  if (!row.is_erased)
    findings.same(subject, 'the hash of its result', row.hash_of_result, held.confirmed.resultHash, signature);
}
