import { type MoveAction, type operations, RelayError } from '@legwork/protocol/contract';
import { isCosignedPickup, keyMoves, moveMeaning, paysEarly, PERCENT_BY_SILENCE } from '@legwork/protocol/rules';
import { address, createNoopSigner, type Instruction, type TransactionSigner } from '@solana/kit';
import { clockedListing, type LegToMove } from '../../db/legMoves.js';
import { compileForWallet } from '../../ledger/compile.js';
import { type Ledger, readLedgerTime } from '../../ledger/ledger.js';
import {
  acceptInstruction,
  claimInstruction,
  confirmLegInstruction,
  disputeInstruction,
  ruleInstruction,
  vacateInstruction,
} from '../../ledger/moveInstructions.js';
import { requireNotHalted, requireWallet } from '../guards.js';
import type { Run } from '../run.js';
import { explain } from './explainedLeg.js';
import { type LegOfTerms, named, requireLiveLeg, requireNotRuled } from './guards.js';

type Input = Parameters<Run<typeof operations.buildTurnTx>>[1];

export const buildTurnTx: Run<typeof operations.buildTurnTx> = async (context, input) => {
  const { db, ledger } = context;
  const { legId, action, pubkey, payerPubkey = pubkey } = input;
  requireWallet(context, 'pubkey', pubkey);
  requireWallet(context, 'payerPubkey', payerPubkey);
  if (action === 'rule') await requireNotRuled(db, legId);
  const of = await requireLiveLeg(db, legId);
  await requireNotHalted(db, named(of), of.listing.id, 'legId');
  const now = await readLedgerTime(ledger);
  requireTurnOf(of, input, now);
  const { instruction, cosigners } = await moveOf(ledger, of, input);
  const unsigned = await compileForWallet(ledger, address(payerPubkey), [instruction]);
  const signers = [...new Set([payerPubkey, pubkey, ...cosigners])];
  const [first = payerPubkey, ...others] = signers;
  return { answer: { legId, action, signers: [first, ...others], ...unsigned } };
};

/** @throws RelayError `not_your_turn` with what the key can do; `invalid_status` when it would pay before anybody has the parcel */
function requireTurnOf({ listing, legs, leg }: LegOfTerms, input: Input, now: Date): void {
  const { action, pubkey } = input;
  const { part, actions } = keyMoves(clockedListing(listing, legs), leg.leg_index, pubkey, now.getTime());
  if (!actions.includes(action)) {
    const can = actions.length === 0 ? 'nothing' : actions.join(', ');
    throw RelayError.field(
      'not_your_turn',
      'action',
      `is not for ${pubkey} to do now: the leg is ${leg.stage}, and this key can do ${can} (GET /turns?pubkey=${pubkey})`,
    );
  }
  if (action === 'take' && part === 'lister') {
    throw RelayError.field(
      'not_your_turn',
      'action',
      `is begun by ${leg.agent_pubkey}, the courier: it offers a transaction that it has signed (GET /legs/${leg.id}/evidence), and you sign that one too`,
    );
  }
  if (paysEarly(action, leg.stage) && !input.evenBeforePickup) {
    const { does } = moveMeaning(action, explain(listing, leg), part);
    throw RelayError.field(
      'invalid_status',
      'evenBeforePickup',
      `must be true to confirm now: it ${does}. Wait until the parcel is there, or send evenBeforePickup: true`,
    );
  }
}

interface Move {
  instruction: Instruction;
  /** Who signs too, apart from the one who makes the move. */
  cosigners: string[];
}

const only = (instruction: Instruction): Move => ({ instruction, cosigners: [] });

async function moveOf(ledger: Ledger, of: LegOfTerms, input: Input): Promise<Move> {
  const signer = createNoopSigner(address(input.pubkey));
  switch (input.action) {
    case 'accept':
    case 'take':
      return accept(ledger, of, signer, input.action);
    case 'vacate':
      return only(await vacateInstruction(ledger, of, signer));
    case 'claim':
      return only(await claimInstruction(ledger, of, { courier: signer, evidenceHash: hashIn(input) }));
    case 'dispute':
      return only(disputeInstruction(ledger, of, { disputer: signer, reasonHash: hashIn(input) }));
    case 'confirm':
      return only(await confirmLegInstruction(ledger, of, signer));
    case 'rule':
      return only(ruleInstruction(ledger, of, { signer, percent: percentIn(input), by: 'arbiter' }));
    case 'agree':
      return agreement(ledger, of, percentIn(input));
    case 'crank':
      break;
  }
  return only(await crank(ledger, of, signer));
}

/** The first pickup is signed by the shipper too, if the terms say so. Rule T-8. */
async function accept(ledger: Ledger, of: LegOfTerms, courier: TransactionSigner, action: MoveAction): Promise<Move> {
  const { listing, leg } = of;
  const take = action === 'take';
  const lister = address(listing.shipper_pubkey);
  const isCosigned = take && isCosignedPickup(leg.leg_index, listing.terms);
  const instruction = await acceptInstruction(ledger, of, {
    courier,
    take,
    lister: isCosigned ? createNoopSigner(lister) : lister,
  });
  return { instruction, cosigners: isCosigned ? [lister] : [] };
}

/** Lister and worker sign it, no matter who asks for it. */
function agreement(ledger: Ledger, of: LegToMove, percent: number): Move {
  const [lister, agent] = [of.listing.shipper_pubkey, of.leg.agent_pubkey];
  const signer = createNoopSigner(address(lister));
  const worker = createNoopSigner(address(agent));
  const instruction = ruleInstruction(ledger, of, { signer, worker, percent, by: 'agreement' });
  return { instruction, cosigners: [lister, agent] };
}

/** What silence has decided: paid, ruled by default, or vacated. */
async function crank(ledger: Ledger, of: LegOfTerms, signer: TransactionSigner): Promise<Instruction> {
  const { stage, formation } = of.leg;
  if (stage === 'claimed' || stage === 'ruled') return confirmLegInstruction(ledger, of, signer, formation);
  if (stage === 'disputed') return ruleInstruction(ledger, of, { signer, percent: PERCENT_BY_SILENCE, by: 'silence' });
  return vacateInstruction(ledger, of, signer);
}

function hashIn({ hash }: Input): Uint8Array {
  if (hash !== undefined) return Buffer.from(hash, 'hex');
  throw RelayError.field('invalid_input', 'hash', 'must be given: the sha256 of the text that putEvidence stored');
}

function percentIn({ percent }: Input): number {
  if (percent !== undefined) return percent;
  throw RelayError.field('invalid_input', 'percent', 'must be given: what the worker gets of its payment, 0 to 100');
}
