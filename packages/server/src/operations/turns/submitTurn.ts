import type { RelayInstruction } from '@legwork/program-client';
import { type operations, RelayError } from '@legwork/protocol/contract';
import type { LegToMove } from '../../ledger/moveInstructions.js';
import { requireNotHalted } from '../guards.js';
import { PACKAGE } from '../packages/guards.js';
import { landProof, readProof } from '../proof.js';
import type { Run } from '../run.js';
import { requireLegOfTerms } from './guards.js';

const BUILT_BY = 'POST /turns/build-tx';

export const submitTurn: Run<typeof operations.submitTurn> = async (context, { legId, ...given }) => {
  const of = await requireLegOfTerms(context.db, legId);
  await requireNotHalted(context.db, PACKAGE, of.parcel.id, 'legId');
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
  const { leg } = await requireLegOfTerms(context.db, legId);
  return { answer: { legId, stage: leg.stage, until: leg.until, signature: proof.signature } };
};

/** Whether it moves this leg, or confirms it. */
function isOfLeg(instruction: RelayInstruction, { parcel, leg }: LegToMove): boolean {
  const { accounts } = instruction;
  if (instruction.name === 'confirmLeg') return instruction.accounts.leg.address === leg.on_chain_leg;
  return (
    'listing' in accounts &&
    accounts.listing.address === parcel.on_chain_package &&
    accounts.leg.address === leg.on_chain_leg
  );
}
