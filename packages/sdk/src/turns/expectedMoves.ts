import {
  getAcceptInstruction,
  getClaimInstruction,
  getConfirmLegInstruction,
  getConfirmTaskLegInstruction,
  getDisputeInstruction,
  getRuleInstruction,
  getVacateInstruction,
  LegStatus,
} from '@legwork/program-client';
import type { MoveAction } from '@legwork/protocol/contract';
import { INCINERATOR_ADDRESS, PERCENT_BY_SILENCE } from '@legwork/protocol/rules';
import { address, createNoopSigner, getBase16Encoder } from '@solana/kit';
import type { Address, Instruction, ReadonlyUint8Array, TransactionSigner } from '@solana/kit';
import { TransactionRefusedError } from '../errors.js';
import { bytesToHex } from '../hex.js';
import { COSIGNED_PICKUP } from '../listingTerms.js';
import type { AnyLeg, LegOnLedger } from './readLeg.js';

/** A move of a leg, with what it says. */
export interface MoveDetails {
  readonly action: MoveAction;
  /** claim, dispute: sha256 of the evidence, 64 hexadecimal digits; of a task's claim, of the result. rule: of the reason, if one is given. */
  readonly hash?: string | undefined;
  /** confirm, dispute of a task's leg: the sha256 of the result that is meant; a leg that claims another one is left alone. */
  readonly claimedHash?: string | undefined;
  /** rule, agree: of the payment, 0 to 100. */
  readonly percent?: number | undefined;
  /** confirm: also while nobody has picked the parcel up, which pays at once for nothing yet. Rule T-97. */
  readonly evenBeforePickup?: boolean | undefined;
}

/** The form that a move must have on the ledger. */
export interface ExpectedMove {
  /** Any one of them does the same. */
  readonly forms: readonly Instruction[];
  /** The signers in addition to the one who moves. */
  readonly cosigners: readonly Address[];
  /** The sha256 that it names as its reason; left out: none. Rule T-113. */
  readonly reasonHash?: string | undefined;
}

const DISPUTED_BY_RECEIVER = 2;

/**
 * The instruction of a move, made from what the ledger says and nothing else.
 *
 * @param mover the key that makes the move
 * @throws {TransactionRefusedError} when it is not a move of this key, or lacks a hash or a percentage
 */
export function expectedMove(at: LegOnLedger, mover: Address, details: MoveDetails): ExpectedMove {
  return MOVES[details.action](at, mover, details);
}

/** The confirmation of a leg, with terms or without: whom it pays, of which formation, is the ledger's to say. Rule A-105. */
export function expectedConfirmation(
  at: AnyLeg,
  mover: Address,
  details: Omit<MoveDetails, 'action'> = {},
): ExpectedMove {
  requireClaimed(at, details);
  requirePickedUp(at, details);
  // Of a task: who kept a signature from before the claim could claim what it names.
  if (at.swarm === undefined && EARLY.has(at.status)) return alone([]);
  return alone(takesOver(at, mover) ? takingOver(at, mover) : [confirming(at, mover)]);
}

type Making = (at: LegOnLedger, mover: Address, details: MoveDetails) => ExpectedMove;

const MOVES: Readonly<Record<MoveAction, Making>> = {
  accept: (at, mover) => accepting(at, mover, false),
  take: (at, mover) => accepting(at, mover, true),
  vacate: (at, mover) => alone(vacating(at, mover)),
  claim(at, mover, details) {
    requireWorker(at, mover);
    const claim = { ...legOf(at), courier: createNoopSigner(mover), evidenceHash: hashBytes(details) };
    return alone(counting(at, (counted) => getClaimInstruction({ ...claim, counted }, to(at))));
  },
  dispute(at, mover, details) {
    requireClaimed(at, details);
    const dispute = { ...legOf(at), disputer: createNoopSigner(mover), reasonHash: hashBytes(details) };
    return alone([getDisputeInstruction(dispute, to(at))]);
  },
  rule(at, mover, details) {
    requireArbiter(at, mover);
    const ruled = ruling(at, createNoopSigner(mover), { fee: mover, percent: percentOf(details) });
    return { ...alone([ruled]), reasonHash: details.hash };
  },
  agree: (at, mover, details) => agreeing(at, mover, percentOf(details)),
  confirm: expectedConfirmation,
  crank: (at, mover) => alone(cranking(at, mover)),
};

const to = ({ programId }: AnyLeg) => ({ programAddress: programId });
/**
 * Where a leg begins to count, its worker's reputation comes last. That of a leg which counted from its assignment on may be left out.
 */
const counting = (
  { reputation }: Pick<LegOnLedger, 'reputation'>,
  form: (counted: Address[]) => Instruction,
): readonly Instruction[] => [form([]), form([reputation])];
const alone = (forms: readonly Instruction[]): ExpectedMove => ({ forms, cosigners: [] });
/** Where a task has no swarm, the client names the program itself. */
const legOf = ({ listing, swarm, address: leg, turn: { formation } }: LegOnLedger) => ({
  listing,
  ...(swarm && { swarm }),
  leg,
  formation,
});

function accepting(at: LegOnLedger, mover: Address, take: boolean): ExpectedMove {
  requireWorker(at, mover);
  if (take && at.swarm === undefined) throw new TransactionRefusedError('nothing of a task is picked up');
  const isCosigned = take && at.index === 0 && (at.terms.flags & COSIGNED_PICKUP) !== 0;
  const lister = isCosigned ? createNoopSigner(at.lister) : at.lister;
  const accept = { ...legOf(at), courier: createNoopSigner(mover), lister, take };
  const form = (counted: Address[]) => getAcceptInstruction({ ...accept, counted }, to(at));
  const forms = take ? counting(at, form) : [form([])];
  return { forms, cosigners: isCosigned ? [at.lister] : [] };
}

/** The leg before is needed where that may be claimed, and does no harm elsewhere. */
function vacating(at: LegOnLedger, mover: Address): Instruction[] {
  const vacate = { ...legOf(at), signer: createNoopSigner(mover), courier: at.worker, vault: at.vault };
  const shown = at.before === undefined ? [{}] : [{}, { previousLeg: at.before }];
  return shown.flatMap((before) =>
    counting(at, (counted) => getVacateInstruction({ ...vacate, ...before, counted }, to(at))),
  );
}

/** The percentage is checked by the ledger too, the fee's address says which of three rulings it is. */
function ruling(
  at: LegOnLedger,
  signer: TransactionSigner,
  { fee, percent, worker = at.worker }: { fee: Address; percent: number; worker?: Address | TransactionSigner },
): Instruction {
  const other = at.turn.note === DISPUTED_BY_RECEIVER ? at.terms.receiver : at.lister;
  const { config, vault } = at;
  return getRuleInstruction({ ...legOf(at), signer, worker, other, config, fee, vault, percent }, to(at));
}

/** Lister and worker both sign, whichever of them begins. */
function agreeing(at: LegOnLedger, mover: Address, percent: number): ExpectedMove {
  const { lister, worker } = at;
  if (mover !== lister) requireWorker(at, mover);
  const fee = at.terms.arbiter;
  const form = ruling(at, createNoopSigner(lister), { fee, percent, worker: createNoopSigner(worker) });
  return { forms: [form], cosigners: [mover === lister ? worker : lister] };
}

/** A takeover names the larger of both legs' numbers, and its courier is counted from then on. */
function takingOver(at: AnyLeg, mover: Address): readonly Instruction[] {
  const { next } = at;
  if (next === undefined) return [confirming(at, mover)];
  const formation = Math.max(at.turn.formation, next.turn.formation);
  return counting(next, (counted) => confirming(at, mover, { formation, counted }));
}

function confirming(
  at: AnyLeg,
  mover: Address,
  { formation = at.turn.formation, counted = [] }: { formation?: number; counted?: Address[] } = {},
): Instruction {
  const { listing, swarm, vault, reputation, after, worker, resultHash } = at;
  const signer = createNoopSigner(mover);
  if (swarm !== undefined) {
    const accounts = { package: listing, swarm, leg: at.address, vault, courier: worker, reputation };
    const next = after && { nextLeg: after };
    return getConfirmLegInstruction({ ...accounts, recipient: signer, ...next, formation, counted }, to(at));
  }
  const { config, address: taskLeg, index } = at;
  const accounts = { signer, config, task: listing, taskLeg, vault, agent: worker, reputation };
  return getConfirmTaskLegInstruction({ ...accounts, index, resultHash: resultHash ?? new Uint8Array(32) }, to(at));
}

/** Reports whether a confirmation by this key says that it has the parcel now. Rule T-32. */
function takesOver({ status, next, now, deadline }: AnyLeg, mover: Address): boolean {
  const isHeld = status === LegStatus.Carried || status === LegStatus.Claimed;
  const isNext = next?.worker === mover && next.status === LegStatus.Accepted;
  return isHeld && isNext && now < deadline;
}

/** Legs whose worker anyone, or the shipper, can take off once its clock is over. */
const UNFINISHED: ReadonlySet<LegStatus> = new Set([LegStatus.Pending, LegStatus.Accepted, LegStatus.Carried]);

/** Carries out what silence has decided of the leg. */
function cranking(at: LegOnLedger, mover: Address): readonly Instruction[] {
  const { status } = at;
  if (UNFINISHED.has(status)) return vacating(at, mover);
  if (status === LegStatus.Disputed) {
    const silence = { fee: address(INCINERATOR_ADDRESS), percent: PERCENT_BY_SILENCE };
    return [ruling(at, createNoopSigner(mover), silence)];
  }
  if (status === LegStatus.Claimed && takesOver(at, mover)) {
    throw new TransactionRefusedError(
      'the next courier takes the parcel over by confirming: somebody else has to end this review',
    );
  }
  if (status === LegStatus.Claimed || status === LegStatus.Ruled) return [confirming(at, mover)];
  throw new TransactionRefusedError('silence has decided nothing about this leg');
}

function requireWorker({ worker, address: place }: LegOnLedger, mover: Address): void {
  if (worker === mover) return;
  throw new TransactionRefusedError(`the leg at ${place} is that of ${worker}, not of ${mover}`);
}

function requireClaimed(
  { resultHash, address: place }: AnyLeg,
  { claimedHash }: Pick<MoveDetails, 'claimedHash'>,
): void {
  if (claimedHash === undefined || resultHash === undefined || bytesToHex(resultHash) === claimedHash) return;
  throw new TransactionRefusedError(`the leg at ${place} claims ${bytesToHex(resultHash)}, not ${claimedHash}`);
}

/** With terms: what is confirmed so early pays for nothing, at once or as soon as the worker has accepted. */
const EARLY: ReadonlySet<LegStatus> = new Set([LegStatus.Pending, LegStatus.Accepted]);

/** By the ledger, whatever the service says: nobody pays by mistake for a parcel that still stands where it was. */
function requirePickedUp(
  { status, swarm, terms, worker, address: place }: AnyLeg,
  { evenBeforePickup }: Pick<MoveDetails, 'evenBeforePickup'>,
): void {
  if (swarm === undefined || terms === null || !EARLY.has(status) || evenBeforePickup === true) return;
  throw new TransactionRefusedError(
    `nobody has picked up the parcel of the leg at ${place}, and confirming it pays ${worker} at once; to want that, give evenBeforePickup (--even-before-pickup)`,
  );
}

function requireArbiter({ terms, address: place }: LegOnLedger, mover: Address): void {
  if (terms.arbiter === mover) return;
  throw new TransactionRefusedError(
    `disputes about the leg at ${place} are ruled by ${terms.arbiter}, not by ${mover}`,
  );
}

function hashBytes({ action, hash }: MoveDetails): ReadonlyUint8Array {
  if (hash !== undefined && /^[0-9a-f]{64}$/.test(hash)) return getBase16Encoder().encode(hash);
  throw new TransactionRefusedError(`a ${action} names the sha256 of its evidence`);
}

function percentOf({ action, percent }: MoveDetails): number {
  if (percent !== undefined && Number.isInteger(percent) && percent >= 0 && percent <= 100) return percent;
  throw new TransactionRefusedError(`to ${action} takes a percentage, 0 to 100`);
}
