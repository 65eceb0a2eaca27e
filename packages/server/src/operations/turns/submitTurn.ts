import type { RelayInstruction } from '@legwork/program-client';
import { type operations, RelayError } from '@legwork/protocol/contract';
import { accountOf, findBoundLeg, type LegToMove } from '../../db/legMoves.js';
import { requireNotHalted } from '../guards.js';
import { landProof, readProof } from '../proof.js';
import type { Run } from '../run.js';
import { named, requireLegOfTerms } from './guards.js';

const BUILT_BY = 'POST /turns/build-tx';

export const submitTurn: Run<typeof operations.submitTurn> = async (context, { legId, ...given }) => {
  const of = await requireLegOfTerms(context.db, legId);
  await requireNotHalted(context.db, named(of), of.listing.id, 'legId');
  const proof = readProof(context.ledger, given);
  await landProof(context, proof, {
    builtBy: BUILT_BY,
    judge(instructions, field) {
      if (instructions.some((one) => isOfLeg(one, of))) return;
      throw RelayError.field(
        'wrong_transaction',
        field,
        `is of a transaction that makes no move of this leg; give the one that ${BUILT_BY} answered`,
      );
    },
  });
  // A leg of a task whose agent left is nobody's a moment later.
  const { stage = 'vacant' as const, until = null } = (await findBoundLeg(context.db, legId))?.of?.leg ?? {};
  return { answer: { legId, stage: stage ?? 'vacant', until, signature: proof.signature } };
};

/** Whether it moves this leg, or confirms it. */
function isOfLeg(instruction: RelayInstruction, { listing, leg }: LegToMove): boolean {
  const { accounts } = instruction;
  if (instruction.name === 'confirmLeg') return instruction.accounts.leg.address === leg.on_chain_leg;
  if (instruction.name === 'confirmTaskLeg') return instruction.accounts.taskLeg.address === leg.on_chain_leg;
  return (
    'listing' in accounts &&
    accounts.listing.address === accountOf(listing) &&
    accounts.leg.address === leg.on_chain_leg
  );
}
