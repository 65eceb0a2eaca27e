import {
  endSignatureOf,
  hasTerms,
  type LegFacts,
  type ListingFacts,
  type Movement,
  ruleKind,
  type StepFacts,
  type TurnFacts,
} from '@legwork/program-client/facts';
import { legClockEnd } from '@legwork/protocol/rules';
import type { LegMoveRow, LegRow, MovedLamports } from '@legwork/server/schema';
import type { Trx } from '../database.js';
import { by, type Findings, type Value } from '../findings.js';
import { wireInstant } from './events.js';
import { termsAsKept } from './listing.js';

/** A leg as one courier had it, with its moves in order. */
export interface MovedLegRow extends LegRow {
  moves: LegMoveRow[];
}

/** The legs of these swarms in carrying order, each with its couriers in order. */
export async function legsOf(trx: Trx, swarmIds: readonly string[]): Promise<MovedLegRow[]> {
  const rows = await trx
    .selectFrom('legs')
    .selectAll()
    .where('swarm_id', 'in', swarmIds)
    .orderBy('leg_index')
    // An id tells when a service believed it to be, and clocks differ.
    .orderBy('formation')
    .execute();
  const legs = new Map(rows.map((row) => [row.id, { ...row, moves: [] as LegMoveRow[] }]));
  const moves = trx
    .selectFrom('leg_moves')
    .innerJoin('legs', 'legs.id', 'leg_moves.leg_id')
    .selectAll('leg_moves')
    .where('legs.swarm_id', 'in', swarmIds)
    .orderBy('leg_moves.id');
  for (const move of await moves.execute()) legs.get(move.leg_id)?.moves.push(move);
  return [...legs.values()];
}

/** A leg on the ledger. */
interface OnLedger {
  leg: LegFacts;
  /** When silence decides about it, null: never; undefined: the node does not say. */
  until: Date | null | undefined;
  /** Its steps on the ledger. */
  steps: readonly StepFacts[];
}

/** Compares what is kept of a leg that the ledger shows. */
export function compareLeg(row: MovedLegRow, { leg, until, steps }: OnLedger, findings: Findings): void {
  const subject = `leg ${row.id}`;
  const { assignSignature, confirmSignature, turn } = leg;
  const assigned = (what: string, here: string | number | bigint, ledger: string | number | bigint) =>
    findings.same(subject, what, here, ledger, assignSignature);
  assigned('courier', row.agent_pubkey, leg.courier);
  assigned('payment in lamports', row.agreed_payment_lamports, leg.paymentLamports);
  assigned('address', row.on_chain_leg, leg.address);
  assigned('number', row.formation, leg.formation);
  const status = confirmSignature === null ? 'pending' : 'completed';
  findings.same(subject, 'status', row.status, status, confirmSignature);
  findings.same(subject, 'confirm signature', row.confirm_signature, confirmSignature, confirmSignature);
  findings.same(subject, 'paid lamports', row.paid_lamports, leg.paidLamports, confirmSignature);
  const signature = steps.at(-1)?.signature ?? assignSignature;
  compareTurn(subject, row, { turn, until, signature }, findings);
  compareMoves(subject, row.moves, turn === null ? [] : steps, findings);
  compareReplaced(row, leg, findings);
}

/** The columns of a leg, of either kind, that its terms make. */
export const TURN_COLUMNS = [
  'stage',
  'since',
  'until',
  'disputer_pubkey',
  'percent',
  'evidence_hash',
  'reason_hash',
  'forfeited_lamports',
] as const satisfies readonly (keyof LegRow)[];

type TurnRow = Pick<LegRow, (typeof TURN_COLUMNS)[number]>;

/** Where a leg stands on the ledger. */
interface TurnOnLedger {
  /** Null: it has no terms. */
  turn: TurnFacts | null;
  /** When silence decides about it, null: never; undefined: the node does not say. */
  until: Date | null | undefined;
  /** Of its last step, or null. */
  signature: string | null;
}

/** Compares where a leg with terms stands; one without has nothing of it. */
export function compareTurn(
  subject: string,
  row: TurnRow,
  { turn, until, signature }: TurnOnLedger,
  findings: Findings,
): void {
  const same = (what: string, here: Value, ledger: Value) => findings.same(subject, what, here, ledger, signature);
  same('stage', row.stage, turn?.stage ?? null);
  if (turn?.since !== null) same('instant of its last move', wire(row.since), wireSecond(turn?.since));
  same('disputer', row.disputer_pubkey, turn?.disputer ?? null);
  same('percent', row.percent, turn?.percent ?? null);
  same('evidence hash', row.evidence_hash, turn?.evidenceHash ?? null);
  same('reason hash', row.reason_hash, turn?.reasonHash ?? null);
  same('forfeited lamports', row.forfeited_lamports, turn?.forfeitedLamports ?? 0n);
  if (until !== undefined) same('end of its clock', wire(row.until), wire(until));
}

/** Compares by which transaction the courier took another one's place, and when another one took its own. */
function compareReplaced(row: LegRow, { turn, assignSignature, isReplacement }: LegFacts, findings: Findings): void {
  const subject = `leg ${row.id}`;
  findings.same(
    subject,
    'assign signature',
    row.assign_signature,
    isReplacement ? assignSignature : null,
    assignSignature,
  );
  if (turn?.endedAt === null) return;
  findings.same(subject, 'instant of its end', wire(row.ended_at), wireSecond(turn?.endedAt), null);
}

/** Compares a leg of a swarm that the ledger never formed. */
export function compareUnassigned(row: MovedLegRow, findings: Findings): void {
  const subject = `leg ${row.id}`;
  findings.same(subject, 'status', row.status, 'pending', null);
  findings.same(subject, 'stage', row.stage, null, null);
  for (const { move, signature } of row.moves) {
    findings.differ(subject, `${move} is here; nothing of it has happened on the ledger${by(signature)}`);
  }
}

/** An instant as text. */
export const wire = (instant: Date | null) => instant && instant.toISOString();

const wireSecond = (second: bigint | undefined) =>
  second === undefined ? null : new Date(Number(second) * 1000).toISOString();

/** The steps of a leg that are no moves. */
const NO_MOVES: ReadonlySet<StepFacts['move']> = new Set(['assign', 'release', 'replace']);

/** Requires each move of a leg once, in the ledger's order, with what it said and moved. */
export function compareMoves(
  subject: string,
  rows: readonly LegMoveRow[],
  steps: readonly StepFacts[],
  findings: Findings,
): void {
  const moves = steps.filter(({ move }) => !NO_MOVES.has(move));
  for (const [index, step] of moves.entries()) {
    const row = rows[index];
    if (row) compareMove(subject, row, step, findings);
    else findings.differ(subject, `${step.move} is missing among its moves here${by(step.signature)}`);
  }
  for (const { move, signature } of rows.slice(moves.length)) {
    findings.differ(subject, `${move} is here; nothing of it has happened on the ledger${by(signature)}`);
  }
}

function compareMove(subject: string, row: LegMoveRow, step: StepFacts, findings: Findings): void {
  const same = (what: string, here: Value, ledger: Value) =>
    findings.same(subject, `${what} of ${step.move}`, here, ledger, step.signature);
  same('name', row.move, step.move);
  same('signer', row.signer_pubkey, step.signer);
  same('ruler', row.by_whom, step.by);
  same('percent', row.percent, step.percent);
  same('hash', row.hash, step.hash);
  same('lamports', listed(row.movements), listed(step.movements));
  same('signature', row.signature, step.signature);
  if (step.at !== null) same('instant', row.at.toISOString(), wireInstant(step.at));
}

function listed(movements: readonly (MovedLamports | Movement)[]): string {
  const lines = movements.map(({ what, from, to, lamports }) => `${lamports} ${what} from ${from} to ${to}`);
  return lines.join(', ') || 'none';
}

const instant = (second: bigint) => new Date(Number(second) * 1000);

/**
 * When silence decides about each leg that somebody has; never, where there are no terms, or where a reclaim ended it.
 *
 * @returns undefined when the node does not say when something was done
 */
export function clocksOf(listing: ListingFacts, legs: readonly LegFacts[]): (Date | null)[] | undefined {
  const { terms, poster } = listing;
  if (terms === null || endSignatureOf(listing) !== null) return legs.map(() => null);
  const clocked = legs.filter(hasTerms).flatMap(({ courier, turn: { stage, since } }) => {
    return since === null ? [] : [{ agentPubkey: courier, stage, since: instant(since) }];
  });
  if (clocked.length < legs.length) return undefined;
  const clockedListing = {
    kind: ruleKind(listing),
    terms: termsAsKept(terms),
    deadline: instant(listing.deadline),
    shipperPubkey: poster,
    legs: clocked,
  };
  return legs.map(({ index }) => legClockEnd(clockedListing, index));
}
