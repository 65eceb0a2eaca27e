import { LegStatus, type SignedText } from '@legwork/program-client';
import type { LegTurnView, MoveAction, Terms } from '@legwork/protocol/contract';
import { resultHash } from '@legwork/protocol/rules';
import type { Step } from '@legwork/protocol/rules';
import type { LegworkClient } from '../client.js';
import { LedgerRefusedError, LegworkApiError } from '../errors.js';
import { isRefusal } from '../landed.js';
import type { LedgerSigner } from '../signer.js';
import { type LegMeant, legOnLedger } from './buildMove.js';
import { takesTexts } from './handoffs.js';
import type { MoveWithText } from './makeMove.js';
import { findHandoff, isPassedOn, pickupOf } from './pickups.js';
import type { TurnRpc } from './readLeg.js';

/** An answer may come at once, or later. */
export type Answer<T> = T | Promise<T>;

/**
 * The one who takes the steps of a turn answers their questions, and makes their moves. Where it throws, the step ends, and is to be
 * tried again. `isLast`: the clock is about to end, and what is answered now decides.
 */
export interface StepTaker {
  readonly client: LegworkClient;
  readonly signer: LedgerSigner;
  readonly rpc: TurnRpc;
  /** The terms by which the taker decides: under others nothing is signed. Left out: those that the service then says. Rule A-106. */
  readonly terms?: Terms | null | undefined;
  /** Signs a move and hands it in, and ends once it has landed. A taker that has to survive a crash writes it down in between. */
  make(move: MoveWithText): Promise<void>;
  /** Sends a handoff that the other side signed as a text, and ends once it has landed; to be written down as moves are. */
  send(signed: SignedText): Promise<void>;
  /** Says whether the leg is wanted; left out: it is. */
  accepts?(): Answer<boolean>;
  /** Says whether the parcel of a pickup or a takeover is in this key's hands; left out: it never is. */
  hasParcel?(isLast: boolean): Answer<boolean>;
  /** The same while the leg waits for its turn, and is about to be left; left out: it is not. */
  isHeld?(): Answer<boolean>;
  /** The parcel is in this key's hands, as far as the service says. */
  carried?(): Answer<void>;
  /** Gives what shows that the parcel has arrived; undefined: it has not. */
  evidence?(isLast: boolean): Answer<string | undefined>;
  /** Gives the code by which the shipper hands the parcel over; left out or undefined: it is looked for among the evidence of the leg. */
  handoff?(): Answer<string | undefined>;
  /** Gives what hands in the result of the leg and claims the leg with it; undefined: there is none yet. */
  result?(isLast: boolean): Answer<(() => Promise<void>) | undefined>;
}

/**
 * Takes a step.
 *
 * @returns the move that was made; undefined: none, because there is nothing to say yet, or the other side has to sign it too
 * @throws the errors of the taker, and of reading evidence
 */
export async function takeStep(taker: StepTaker, turn: LegTurnView, step: Step): Promise<MoveAction | undefined> {
  if (step.kind === 'pickUp') return pickUp(taker, turn, step);
  if (step.kind === 'carry') return carry(taker, turn, step.isLast);
  if (step.kind === 'work') return work(taker, turn, step.isLast);
  if (step.kind === 'accept') {
    const isWanted = (await taker.accepts?.()) ?? true;
    return make(taker, turn, { action: isWanted ? 'accept' : 'vacate' });
  }
  const isHeld = step.unlessHeld === true && (await taker.isHeld?.()) === true;
  return isHeld ? undefined : make(taker, turn, { action: step.action });
}

function legMeant({ terms }: StepTaker, turn: LegTurnView): LegMeant {
  const of = turn.kind === 'package' ? { packageId: turn.packageId } : { taskId: turn.taskId };
  return { legId: turn.legId, ...of, terms };
}

async function make(
  taker: StepTaker,
  turn: LegTurnView,
  details: Pick<MoveWithText, 'action' | 'text' | 'hash'>,
): Promise<MoveAction> {
  await taker.make({ ...legMeant(taker, turn), ...details });
  return details.action;
}

async function pickUp(
  taker: StepTaker,
  turn: LegTurnView,
  { action, isCosigned, isLast }: Extract<Step, { kind: 'pickUp' }>,
): Promise<MoveAction | undefined> {
  // A shipper who does not sign must not cost the courier its stake.
  const isThere = !(isLast && isCosigned) && (await taker.hasParcel?.(isLast)) === true;
  if (!isThere) return isLast ? make(taker, turn, { action: 'vacate' }) : undefined;
  if (!isCosigned) await make(taker, turn, { action });
  else if (!(await sendPickup(taker, turn))) return undefined;
  await taker.carried?.();
  return action;
}

async function carry(taker: StepTaker, turn: LegTurnView, isLast: boolean): Promise<MoveAction | undefined> {
  await taker.carried?.();
  if (await sendReceipt(taker, turn)) return 'confirm';
  const text = await taker.evidence?.(isLast);
  if (text === undefined) return undefined;
  return orWithStored(taker, turn, () => make(taker, turn, { action: 'claim', text }));
}

/**
 * Sends what the next courier or the receiver has signed and shared, which pays this key at once. Where none can be read, and where one is
 * refused, that must not keep it from its claim. Rule A-134. @returns false: there is nothing that was taken
 */
async function sendReceipt(taker: StepTaker, turn: LegTurnView): Promise<boolean> {
  const signed = await receiptFor(taker, turn).catch(() => undefined);
  if (signed === undefined) return false;
  try {
    await taker.send(signed);
    return true;
  } catch (error) {
    if (!isRefusal(error) && !(error instanceof LedgerRefusedError)) throw error;
    return false;
  }
}

async function receiptFor(taker: StepTaker, turn: LegTurnView) {
  const { client, signer, rpc } = taker;
  const leg = await legOnLedger(client, signer.address, legMeant(taker, turn), { rpc });
  // The ledger refuses a takeover by a courier that has not accepted, and its sender may pay for that.
  const isOpen = leg.next === undefined || (leg.next.status === LegStatus.Accepted && leg.now < leg.deadline);
  return isOpen && takesTexts(leg) ? findHandoff(client, leg, { legId: turn.legId }) : undefined;
}

async function work(taker: StepTaker, turn: LegTurnView, isLast: boolean): Promise<MoveAction | undefined> {
  const claim = await taker.result?.(isLast);
  if (claim !== undefined) return orWithStored(taker, turn, claim);
  return isLast ? make(taker, turn, { action: 'vacate' }) : undefined;
}

/** The service's refusals when an author has stored all that it may, or the leg stands elsewhere. */
const NO_ROOM: ReadonlySet<string> = new Set(['invalid_status', 'result_submitted']);

/** Claims; where the evidence has no room left, as after claims that did not land, the claim names what was stored last. */
async function orWithStored(taker: StepTaker, turn: LegTurnView, claim: () => Promise<unknown>): Promise<MoveAction> {
  try {
    await claim();
    return 'claim';
  } catch (error) {
    if (!(error instanceof LegworkApiError) || !NO_ROOM.has(error.code)) throw error;
    const { items } = await taker.client.listEvidence({ legId: turn.legId });
    const stored = items.findLast((one) => one.authorPubkey === taker.signer.address && !isPassedOn(one.text));
    if (stored === undefined) throw error;
    return make(taker, turn, { action: 'claim', hash: resultHash(stored.text).hex });
  }
}

/** Sends the shipper's signature with this key's. @returns false: the shipper has not signed yet */
async function sendPickup(taker: StepTaker, turn: LegTurnView): Promise<boolean> {
  const { client, signer, rpc } = taker;
  const code = await taker.handoff?.();
  const found = await pickupOf(client, signer, { ...legMeant(taker, turn), code }, { rpc });
  if (found === undefined) return false;
  await taker.send(found.signed);
  return true;
}
