import type { Movement, StepFacts } from '@legwork/program-client/facts';
import type { LegMoveRow, MovedLamports } from '@legwork/server/schema';
import { by, type Findings, type Value } from '../findings.js';
import { wireInstant } from './events.js';

/** What is done to a leg in other ways. */
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
