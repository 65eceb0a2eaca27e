import {
  type AssignmentFacts,
  endSignatureOf,
  heldLegs,
  type StepFacts,
  type TaskFacts,
} from '@legwork/program-client/facts';
import type { Artifact, DigitalLegStatus } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import type { DigitalLegRow, LegMoveRow } from '@legwork/server/schema';
import { sql } from 'kysely';
import { rowBatches, type Trx } from '../database.js';
import { by, type Findings } from '../findings.js';
import { clocksOf, compareMoves, compareTurn, TURN_COLUMNS, wire } from './legs.js';

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
  'due_at',
  'formation',
  ...TURN_COLUMNS,
] as const satisfies readonly (keyof DigitalLegRow)[];

/** A leg without its result, which may be long, but with the hash of that. */
export type MirroredLeg = Pick<DigitalLegRow, (typeof COLUMNS_OF_LEG)[number]> & {
  /** The hash of its text and its files, hexadecimal. */
  hash_of_result: string | null;
  /** True if the text that the agent claimed with is here. */
  is_evidence_here: boolean;
  /** Of all its agents, in order. */
  moves: LegMoveRow[];
  is_erased: boolean;
  /** It was completed before its task was rebuilt from the ledger. */
  is_rebuilt: boolean;
};

const isErased = sql<boolean>`exists (
  select from digital_tasks where digital_tasks.id = task_id and erased_at is not null)`.as('is_erased');
const isRebuilt = sql<boolean>`exists (
  select from digital_tasks join ledger_transactions landed on landed.slot <= rebuilt_slot
  where digital_tasks.id = task_id and landed.signature = confirm_signature)`.as('is_rebuilt');
const isEvidenceHere = sql<boolean>`exists (
  select from evidence where leg_id = digital_legs.id and author_pubkey = agent_pubkey and hash = result_hash
)`.as('is_evidence_here');

/** The legs of these tasks, in their order. */
export async function legsOf(trx: Trx, taskIds: readonly string[]): Promise<MirroredLeg[]> {
  const legs = await trx
    .selectFrom('digital_legs')
    .select([...COLUMNS_OF_LEG, isEvidenceHere, isErased, isRebuilt])
    .where('task_id', 'in', taskIds)
    .orderBy('leg_index')
    .execute();
  const hashes = await hashesOfResults(trx, taskIds);
  const moves = await movesOf(trx, taskIds);
  return legs.map((leg) => ({
    ...leg,
    hash_of_result: hashes.get(leg.id) ?? null,
    moves: moves.get(leg.id) ?? [],
  }));
}

/** The moves of the legs of these tasks, by leg, in order. */
async function movesOf(trx: Trx, taskIds: readonly string[]): Promise<Map<string, LegMoveRow[]>> {
  const rows = await trx
    .selectFrom('leg_moves')
    .innerJoin('digital_legs', 'digital_legs.id', 'leg_moves.leg_id')
    .selectAll('leg_moves')
    .where('digital_legs.task_id', 'in', taskIds)
    .orderBy('leg_moves.id')
    .execute();
  const moves = new Map<string, LegMoveRow[]>(rows.map(({ leg_id: legId }) => [legId, []]));
  for (const row of rows) moves.get(row.leg_id)?.push(row);
  return moves;
}

/** The hashes of results with their files, by leg. A result may be long: few are read at once. */
async function hashesOfResults(trx: Trx, taskIds: readonly string[]): Promise<Map<string, string>> {
  const files = await filesOf(trx, taskIds);
  const hashes = new Map<string, string>();
  const batches = rowBatches<{ id: string; result: string }>((after) => {
    const rows = trx.selectFrom('digital_legs').select(['id', 'result']).where('task_id', 'in', taskIds);
    const page = rows
      .where('result', 'is not', null)
      .orderBy('id')
      .limit(RESULTS_AT_ONCE)
      .$narrowType<{ result: string }>();
    return (after ? page.where('id', '>', after.id) : page).execute();
  }, RESULTS_AT_ONCE);
  for await (const rows of batches) {
    for (const { id, result } of rows) hashes.set(id, resultHash(result, files.get(id) ?? []).hex);
  }
  return hashes;
}

const RESULTS_AT_ONCE = 50;

/** The files of results, by leg, in order. */
async function filesOf(trx: Trx, taskIds: readonly string[]): Promise<Map<string, Artifact[]>> {
  const rows = await trx
    .selectFrom('digital_legs')
    .innerJoin('artifacts', (join) =>
      join.onRef('artifacts.leg_id', '=', 'digital_legs.id').onRef('artifacts.claim', '=', 'digital_legs.claim'),
    )
    .select(['digital_legs.id', 'sha256', 'bytes', 'name', 'content_type'])
    .where('task_id', 'in', taskIds)
    .where('result', 'is not', null)
    .where('position', 'is not', null)
    .orderBy('position')
    .$narrowType<{ name: string; content_type: string }>()
    .execute();
  const files = new Map<string, Artifact[]>();
  for (const { id, sha256, bytes, name, content_type: contentType } of rows) {
    files.set(id, [...(files.get(id) ?? []), { sha256, bytes: Number(bytes), name, contentType }]);
  }
  return files;
}

/** The leg of an index, as the ledger has it. */
interface LegOnLedger {
  /** Null: it was never given to anybody, and has no account. */
  address: string | null;
  status: DigitalLegStatus;
  /** Of the transaction that set the present status, or null. */
  statusSignature: string | null;
  /** The agent that has the leg, and its fate, or undefined. */
  held: AssignmentFacts | undefined;
  /** When silence decides about it, null: never; undefined: the node does not say. */
  until: Date | null | undefined;
  /** Its steps, whoever had it. */
  steps: readonly StepFacts[];
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
  const last = task.assignments.findLast((assignment) => assignment.index === index);
  const held = last?.releaseSignature === null ? last : undefined;
  const legs = heldLegs(task);
  const until = held ? clocksOf(task, legs)?.[legs.indexOf(held)] : null;
  const steps = task.terms ? task.steps.filter(({ leg }) => leg.index === index) : [];
  return { address: last?.address ?? null, held, until, steps, ...stateOf(task, last) };
}

/** @param last - the leg's latest assignment */
function stateOf(task: TaskFacts, last: AssignmentFacts | undefined): Pick<LegOnLedger, 'status' | 'statusSignature'> {
  if (last?.confirmSignature) return { status: 'completed', statusSignature: last.confirmSignature };
  const ended = endSignatureOf(task);
  if (ended !== null) return { status: 'failed', statusSignature: ended };
  if (last?.releaseSignature === null) return { status: 'in_progress', statusSignature: last.assignSignature };
  return { status: 'pending', statusSignature: last?.releaseSignature ?? null };
}

function compareLeg(
  row: MirroredLeg,
  { address, status, statusSignature, held, until, steps }: LegOnLedger,
  findings: Findings,
): void {
  const subject = `digital leg ${row.id}`;
  const assigned = held?.assignSignature ?? null;
  findings.same(subject, 'status', row.status, status, statusSignature);
  if (address !== null) findings.same(subject, 'address', row.on_chain_leg, address, statusSignature);
  // Without an agent on the ledger a leg may be reserved, or about to be assigned, here.
  if (held) findings.same(subject, 'agent', row.agent_pubkey, held.courier, assigned);
  findings.same(subject, 'assign signature', row.assign_signature, assigned, assigned);
  compareConfirmation(row, held, findings);
  const turn = held?.turn ?? null;
  const signature = steps.at(-1)?.signature ?? null;
  findings.same(subject, 'number', row.formation, turn && (held?.formation ?? null), assigned);
  compareTurn(subject, row, { turn, until, signature }, findings);
  if (until) findings.same(subject, 'instant when its time is up', wire(row.due_at), wire(until), signature);
  compareMoves(subject, row.moves, steps, findings);
}

function compareConfirmation(row: MirroredLeg, held: AssignmentFacts | undefined, findings: Findings): void {
  const subject = `digital leg ${row.id}`;
  const signature = held?.confirmSignature ?? null;
  findings.same(subject, 'confirm signature', row.confirm_signature, signature, signature);
  findings.same(subject, 'payment in lamports', row.payment_lamports, held?.paidLamports ?? null, signature);
  if (!held || signature === null) return;
  findings.same(subject, 'result hash', row.result_hash, held.resultHash, signature);
  if (row.is_erased) return;
  if (row.is_rebuilt && row.hash_of_result === null) {
    findings.note(subject, `what it was paid for was lost with a former database${by(signature)}`);
    return;
  }
  if (held.turn && row.hash_of_result === null && !row.is_evidence_here) {
    // The poster may accept a claim whose text it got in another way.
    findings.note(subject, `what it was paid for was not handed in here${by(signature)}`);
  } else findings.same(subject, 'the hash of its result', row.hash_of_result, held.resultHash, signature);
}
