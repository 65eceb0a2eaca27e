import type { MoveInstruction, Named } from '@legwork/program-client';
import { type LegMove, toLamports } from '@legwork/protocol/contract';
import { INCINERATOR_ADDRESS, type Ruler, stakeShares } from '@legwork/protocol/rules';
import { gapBefore } from '../errors.js';
import { advance, completedOf, hasTerms, type Held, type StepFacts, stepOf } from './legs.js';
import { countLeg } from './reputations.js';
import { forfeitStake, type Moved, payStake, postStake } from './stakes.js';

/** Makes one of the five moves of a leg with terms. Rules T-5 to T-25. */
export function replayMove(held: Held, instruction: MoveInstruction): void {
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
  const { listing, legs, landing } = held;
  const leg = legs.find(({ address }) => address === accounts.leg.address);
  if (!listing.terms || !leg || !hasTerms(leg)) {
    throw gapBefore(landing.signature, `${name} found no terms of leg ${accounts.leg.address}`);
  }
  if (leg.formation !== data.formation) {
    throw gapBefore(landing.signature, `${name} names ${data.formation}, and leg ${leg.index} was ${leg.formation}`);
  }
  return { ...held, terms: listing.terms, leg };
}

function step(
  moved: Moved,
  move: LegMove,
  signer: string,
  details: Partial<Pick<StepFacts, 'by' | 'percent' | 'hash' | 'movements'>>,
): void {
  const { steps, leg, landing } = moved;
  advance(moved, leg, move);
  steps.push(stepOf(leg, move, signer, landing, details));
}

function requireCourier({ leg, landing }: Moved, name: string, signer: string): void {
  if (leg.courier !== signer)
    throw gapBefore(landing.signature, `${name} of ${signer} found leg ${leg.index} another's`);
}

function requireFirst({ legs, leg, landing }: Moved, name: string): void {
  const first = completedOf(legs).length;
  if (leg.index !== first) throw gapBefore(landing.signature, `${name} found leg ${first} not completed`);
}

function accept(moved: Moved, { name, accounts, data }: Named<'accept'>): void {
  const courier = accounts.courier.address;
  requireCourier(moved, name, courier);
  if (data.take) {
    requireFirst(moved, name);
    countLeg(moved.reputations, moved.leg, moved.landing.signature);
  }
  const movements = moved.leg.turn.stage === 'pending' ? [postStake(moved, courier)] : [];
  step(moved, data.take ? 'take' : 'accept', courier, { movements });
}

/** By its courier the leg is left in time; others take it from who is late. */
function vacate(moved: Moved, { accounts }: Named<'vacate'>): void {
  const { courier, turn } = moved.leg;
  const signer = accounts.signer.address;
  const isFree = signer === courier;
  const hasStake = turn.stage !== 'pending';
  if (hasStake && !isFree) countLeg(moved.reputations, moved.leg, moved.landing.signature);
  const stake = () => (isFree ? payStake(moved, courier) : forfeitStake(moved));
  step(moved, isFree ? 'leave' : 'evict', signer, { movements: hasStake ? [stake()] : [] });
}

function claim(moved: Moved, { name, accounts, data }: Named<'claim'>): void {
  const courier = accounts.courier.address;
  requireCourier(moved, name, courier);
  requireFirst(moved, name);
  const hash = Buffer.from(data.evidenceHash).toString('hex');
  moved.leg.turn.evidenceHash = hash;
  countLeg(moved.reputations, moved.leg, moved.landing.signature);
  step(moved, 'claim', courier, { hash });
}

function dispute(moved: Moved, { accounts, data }: Named<'dispute'>): void {
  const disputer = accounts.disputer.address;
  const hash = Buffer.from(data.reasonHash).toString('hex');
  moved.leg.turn.disputer = disputer;
  moved.leg.turn.reasonHash = hash;
  step(moved, 'dispute', disputer, { hash, movements: [postStake(moved, disputer)] });
}

/** Who receives the fee says who ruled. */
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
  step(moved, percent === 0 ? 'reject' : 'rule', signer, { by, percent, movements });
}

function rulerBy(signer: string, fee: string): Ruler {
  if (fee === INCINERATOR_ADDRESS) return 'silence';
  return signer === fee ? 'arbiter' : 'agreement';
}
