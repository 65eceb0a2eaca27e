import { LegworkError, type MoveAction } from '@legwork/protocol/contract';
import type { Db, Trx } from '../db/connect.js';
import { type ClockedLeg, findBoundLeg, isClocked, type LegToMove, clockedListing } from './moveRows.js';
import { accountOf, isPackage, kindOf, type ListingRow } from '../db/listings.js';
import { standingRuling } from './turnRows.js';
import { type Named, PACKAGE, TASK } from '../listings/kinds.js';
import { isCosignedPickup, keyMoves, moveMeaning, paysEarly, PERCENT_BY_SILENCE } from '@legwork/protocol/rules';
import { address, createNoopSigner, type Instruction, type TransactionSigner } from '@solana/kit';
import { compileForWallet } from '../ledger/compile.js';
import { type Ledger, readLedgerTime } from '../ledger/ledger.js';
import {
  acceptInstruction,
  claimInstruction,
  confirmLegInstruction,
  disputeInstruction,
  ruleInstruction,
  vacateInstruction,
} from '../ledger/moveInstructions.js';
import { requireNotHalted, requireWallet } from '../operations/guards.js';
import type { AppContext } from '../context.js';
import type { In, Out } from '../operations/run.js';
import { explain } from './read.js';
import { reasonMemo, type RelayInstruction } from '@legwork/program-client';
import { landProof, readProof } from '../operations/proof.js';

/** A leg with terms that somebody has: its swarm is formed, or it is assigned to an agent. */
export type LegOfTerms = LegToMove & { leg: ClockedLeg };

/** @returns the leg, and why it is over, if it is @throws LegworkError as {@link requireLegOfTerms} */
export async function findOfTerms(
  db: Db | Trx,
  legId: string,
): Promise<{ of: LegOfTerms; isOver: string | undefined }> {
  const found = await findBoundLeg(db, legId);
  if (found === undefined) throw LegworkError.field('not_found', 'legId', 'no leg has this id');
  const { listing, of, isOver } = found;
  if (of && isClocked(of.leg)) return { of: { ...of, leg: of.leg }, isOver };
  const kind = kindOf(listing);
  const pending = kind === 'package' ? 'of a swarm that the ledger has not shown yet' : 'assigned to nobody';
  throw LegworkError.field(
    'invalid_status',
    'legId',
    listing.terms === null ? `is of a ${kind} without terms: its legs have no such moves` : `is ${pending}`,
  );
}

/** @throws LegworkError `not_found`; `invalid_status` when its listing has no terms, or nobody has it */
export async function requireLegOfTerms(db: Db | Trx, legId: string): Promise<LegOfTerms> {
  return (await findOfTerms(db, legId)).of;
}

/** The same of a leg that is not over. @throws LegworkError `not_found`, `invalid_status` */
export async function requireLiveLeg(db: Db | Trx, legId: string): Promise<LegOfTerms> {
  const { of, isOver } = await findOfTerms(db, legId);
  if (isOver === undefined) return of;
  throw legIsOver(isOver);
}

export const legIsOver = (why: string): LegworkError =>
  LegworkError.field('invalid_status', 'legId', `is of a leg that is over: ${why}`);

/** A ruling stands, whatever has become of the leg since. Rule S-168. @throws LegworkError `invalid_status` with what was ruled, and when */
async function requireNotRuled(db: Db | Trx, legId: string): Promise<void> {
  const ruling = await standingRuling(db, legId);
  if (ruling === undefined) return;
  const { by_whom: byWhom, percent, at, signature } = ruling;
  const by = byWhom === null ? '' : ` by ${BY[byWhom]}`;
  throw LegworkError.field(
    'invalid_status',
    'legId',
    `is of a leg that was ruled already${by}, at ${at.toISOString()}: ${percent ?? 0} % of the payment is its worker's (transaction ${signature}); a ruling stands`,
  );
}

const BY = { arbiter: 'the arbiter', agreement: 'agreement of both sides', silence: 'silence' } as const;

/** How refusals name what the leg is of. */
const named = ({ listing }: LegToMove): Named => (isPackage(listing) ? PACKAGE : TASK);

/** The parties of a leg: its worker, the next courier, lister and receiver. Rule T-64. */
export function partiesOf({ listing, legs, leg }: LegToMove): string[] {
  const next = legs[leg.leg_index + 1]?.agent_pubkey;
  return [leg.agent_pubkey, next, listing.shipper_pubkey, listing.terms?.receiverPubkey].flatMap((one) => one ?? []);
}

type Input = In<'buildTurnTx'>;

/** The instruction of a move, if the key can make it now. @throws LegworkError as `buildTurnTx` */
export async function turnInstruction(context: AppContext, input: Input): Promise<Move & { about: ListingRow }> {
  const { db, ledger } = context;
  const { legId, action, pubkey } = input;
  requireWallet(context, 'pubkey', pubkey);
  if (action === 'rule') await requireNotRuled(db, legId);
  const of = await requireLiveLeg(db, legId);
  await requireNotHalted(db, named(of), of.listing.id, 'legId');
  const now = await readLedgerTime(ledger);
  requireTurnOf(ledger, of, input, now);
  return { about: of.listing, ...(await moveOf(ledger, of, input)) };
}

export async function buildTurnTx(context: AppContext, input: In<'buildTurnTx'>): Out<'buildTurnTx'> {
  const { ledger } = context;
  const { legId, action, pubkey, payerPubkey = pubkey } = input;
  requireWallet(context, 'payerPubkey', payerPubkey);
  const { about, instruction, cosigners } = await turnInstruction(context, input);
  const reason = action === 'rule' && input.hash !== undefined ? [reasonMemo(input.hash)] : [];
  const unsigned = await compileForWallet(ledger, address(payerPubkey), about, [instruction, ...reason]);
  const signers = [...new Set([payerPubkey, pubkey, ...cosigners])];
  const [first = payerPubkey, ...others] = signers;
  return { answer: { legId, action, signers: [first, ...others], ...unsigned } };
}

/** @throws LegworkError `not_your_turn` with what the key can do; `invalid_status` when it would pay before anybody has the parcel */
function requireTurnOf(ledger: Ledger, { listing, legs, leg }: LegOfTerms, input: Input, now: Date): void {
  const { action, pubkey } = input;
  const { part, actions } = keyMoves(clockedListing(listing, legs), leg.leg_index, pubkey, now.getTime());
  if (!actions.includes(action)) {
    const can = actions.length === 0 ? 'nothing' : actions.join(', ');
    throw LegworkError.field(
      'not_your_turn',
      'action',
      `is not for ${pubkey} to do now: the leg is ${leg.stage}, and this key can do ${can} (GET /turns?pubkey=${pubkey})`,
    );
  }
  if (action === 'take' && part === 'lister') {
    throw LegworkError.field(
      'not_your_turn',
      'action',
      `is sent by ${leg.agent_pubkey}, the courier: sign the text of the handoff, picked up, and store it with POST /legs/${leg.id}/evidence, where it finds it and sends it at once; let the parcel go only once GET /packages/${listing.id} shows the leg as carried`,
    );
  }
  if (paysEarly(action, leg.stage) && !input.evenBeforePickup) {
    const { does } = moveMeaning(action, explain(ledger.assets, listing, leg), part);
    throw LegworkError.field(
      'invalid_status',
      'evenBeforePickup',
      `must be true to confirm now: it ${does}. Wait until the parcel is there, or send evenBeforePickup: true`,
    );
  }
}

interface Move {
  instruction: Instruction;
  /** The signers apart from the one who makes the move. */
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

/** Carries out what silence has decided: paid, ruled by default, or vacated. */
async function crank(ledger: Ledger, of: LegOfTerms, signer: TransactionSigner): Promise<Instruction> {
  const { stage, formation } = of.leg;
  if (stage === 'claimed' || stage === 'ruled') return confirmLegInstruction(ledger, of, signer, formation);
  if (stage === 'disputed') return ruleInstruction(ledger, of, { signer, percent: PERCENT_BY_SILENCE, by: 'silence' });
  return vacateInstruction(ledger, of, signer);
}

function hashIn({ hash }: Input): Uint8Array {
  if (hash !== undefined) return Buffer.from(hash, 'hex');
  throw LegworkError.field('invalid_input', 'hash', 'must be given: the sha256 of the text that putEvidence stored');
}

function percentIn({ percent }: Input): number {
  if (percent !== undefined) return percent;
  throw LegworkError.field('invalid_input', 'percent', 'must be given: what the worker gets of its payment, 0 to 100');
}

const BUILT_BY = 'POST /turns/build-tx';

export async function submitTurn(context: AppContext, { legId, ...given }: In<'submitTurn'>): Out<'submitTurn'> {
  const of = await requireLegOfTerms(context.db, legId);
  await requireNotHalted(context.db, named(of), of.listing.id, 'legId');
  const proof = readProof(context.ledger, given);
  await landProof(context, proof, {
    builtBy: BUILT_BY,
    judge(instructions, field) {
      if (instructions.some((one) => isOfLeg(one, of))) return;
      throw LegworkError.field(
        'wrong_transaction',
        field,
        `is of a transaction that makes no move of this leg; give the one that ${BUILT_BY} answered`,
      );
    },
  });
  // A leg of a task whose agent left is nobody's a moment later.
  const { stage = 'vacant' as const, until = null } = (await findBoundLeg(context.db, legId))?.of?.leg ?? {};
  return { answer: { legId, stage: stage ?? 'vacant', until, signature: proof.signature } };
}

/** True if it moves or confirms this leg. */
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
