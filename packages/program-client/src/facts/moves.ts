import { type LegMove, toLamports } from '@legwork/protocol/contract';
import { INCINERATOR_ADDRESS, type Ruler, stakeShares } from '@legwork/protocol/rules';
import type { Terms } from '../generated/index.js';
import type { MoveInstruction, Named } from '../instructions.js';
import {
  advance,
  completedOf,
  countAccepted,
  hasTerms,
  type Held,
  type Movement,
  noteStep,
  type StepFacts,
  type TermsLeg,
} from './legs.js';
import { hexOf } from './listing.js';
import { misfit } from './transaction.js';

/** A leg with terms that something is done to. */
interface Moved extends Held {
  terms: Terms;
  leg: TermsLeg;
}

/** Makes one of the five moves of a leg with terms. Rules T-5 to T-25. */
export function makeMove(held: Held, instruction: MoveInstruction): void {
  const moved = movedBy(held, instruction);
  switch (instruction.name) {
    case 'accept':
      return accept(moved, instruction);
    case 'vacate':
      return vacate(moved, instruction);
    case 'claim':
      return claim(moved, instruction);
    case 'dispute':
      return dispute(moved, instruction);
    case 'rule':
      return rule(moved, instruction);
  }
}

/** The leg that the move names, which must have its number. */
function movedBy(held: Held, { name, accounts, data }: MoveInstruction): Moved {
  const { terms } = held.listing;
  const leg = held.legs.find(({ address }) => address === accounts.leg.address);
  if (!terms || !leg || !hasTerms(leg)) misfit(`${name} found no terms of leg ${accounts.leg.address}`);
  if (leg.formation !== data.formation) {
    misfit(`${name} names ${data.formation}, and leg ${leg.index} was ${leg.formation}`);
  }
  return { ...held, terms, leg };
}

type Details = Partial<Pick<StepFacts, 'by' | 'percent' | 'hash' | 'movements'>>;

function move(moved: Moved, what: LegMove, signer: string, details: Details): void {
  advance(moved, moved.leg, what);
  noteStep(moved, moved.leg, what, signer, details);
}

function requireCourier({ leg }: Moved, name: string, signer: string): void {
  if (leg.courier !== signer) misfit(`${name} of ${signer} found leg ${leg.index} another's`);
}

function requireFirst({ legs, leg }: Moved, name: string): void {
  const first = completedOf(legs).length;
  if (leg.index !== first) misfit(`${name} found leg ${first} not completed`);
}

function accept(moved: Moved, { name, accounts, data }: Named<'accept'>): void {
  const courier = accounts.courier.address;
  requireCourier(moved, name, courier);
  if (data.take) {
    requireFirst(moved, name);
    countAccepted(moved, moved.leg);
  }
  const movements = moved.leg.turn.stage === 'pending' ? [postStake(moved, courier)] : [];
  move(moved, data.take ? 'take' : 'accept', courier, { movements });
}

/** By its courier the leg is left in time; others take it from a late one. */
function vacate(moved: Moved, { accounts }: Named<'vacate'>): void {
  const { courier, turn } = moved.leg;
  const signer = accounts.signer.address;
  const isFree = signer === courier;
  const hasStake = turn.stage !== 'pending';
  if (hasStake && !isFree) countAccepted(moved, moved.leg);
  const stake = () => (isFree ? payStake(moved, courier) : forfeitStake(moved));
  move(moved, isFree ? 'leave' : 'evict', signer, { movements: hasStake ? [stake()] : [] });
}

function claim(moved: Moved, { name, accounts, data }: Named<'claim'>): void {
  const courier = accounts.courier.address;
  requireCourier(moved, name, courier);
  requireFirst(moved, name);
  const hash = hexOf(data.evidenceHash);
  moved.leg.turn.evidenceHash = hash;
  countAccepted(moved, moved.leg);
  move(moved, 'claim', courier, { hash });
}

function dispute(moved: Moved, { accounts, data }: Named<'dispute'>): void {
  const disputer = accounts.disputer.address;
  const hash = hexOf(data.reasonHash);
  moved.leg.turn.disputer = disputer;
  moved.leg.turn.reasonHash = hash;
  move(moved, 'dispute', disputer, { hash, movements: [postStake(moved, disputer)] });
}

/** The receiver of the fee is the one who ruled. */
function rule(moved: Moved, { accounts, data }: Named<'rule'>): void {
  const { percent } = data;
  const signer = accounts.signer.address;
  const fee = accounts.fee.address;
  const by = rulerBy(signer, fee);
  const isDisputed = moved.leg.turn.stage === 'disputed';
  const shares = stakeShares(toLamports(moved.terms.stake), by, percent);
  const movements = [
    payStake(moved, accounts.worker.address, 'stake_returned', shares.worker),
    payStake(moved, accounts.other.address, 'stake_returned', isDisputed ? shares.disputer : 0n),
    payStake(moved, fee, by === 'silence' ? 'burnt' : 'arbiter_fee', shares.fee),
  ].filter(({ lamports }) => lamports > 0n);
  moved.leg.turn.percent = percent;
  // A text that others write beside a decision of silence or of both sides is no reason of the arbiter's.
  const hash = by === 'arbiter' ? moved.landing.reasonHash : null;
  move(moved, percent === 0 ? 'reject' : 'rule', signer, { by, percent, hash, movements });
}

function rulerBy(signer: string, fee: string): Ruler {
  if (fee === INCINERATOR_ADDRESS) return 'silence';
  return signer === fee ? 'arbiter' : 'agreement';
}

/** A stake comes from a wallet. */
function postStake({ terms, leg }: Moved, from: string): Movement {
  return { what: 'stake', from, to: leg.address, lamports: terms.stake };
}

/**
 * Lamports of a leg go to a wallet, or to the vault if it cannot receive them. Rule T-17.
 *
 * @param lamports - the stake, unless told
 */
export function payStake(
  { listing, landing, terms, leg }: Moved,
  to: string,
  what: Movement['what'] = 'stake_returned',
  lamports: bigint = terms.stake,
): Movement {
  const { vault } = listing;
  const movement = { what, from: leg.address, to, lamports };
  const keep = () => {
    movement.to = vault;
    listing.gainedLamports += lamports;
  };
  landing.payOut({ vault, wallet: to, lamports, keep });
  return movement;
}

/** The stake of a leg goes to the vault, where that of a package pays replacements. */
function forfeitStake({ listing, landing, terms, leg }: Moved): Movement {
  const lamports = terms.stake;
  leg.turn.forfeitedLamports += lamports;
  listing.gainedLamports += lamports;
  landing.move(listing.vault, lamports);
  return { what: 'stake_forfeited', from: leg.address, to: listing.vault, lamports };
}
