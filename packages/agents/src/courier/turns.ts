import type { SignedText } from '@legwork/program-client';
import { legUnderWay, nextStep, recipientOf, turnAtHand } from '@legwork/protocol/rules';
import type { Step } from '@legwork/protocol/rules';
import { formatAmount, receive, shareHandoff, toLamports } from '@legwork/sdk';
import type { Leg, MoveWithText, PackageDetail, TurnAtHand } from '@legwork/sdk';
import { disagreementToCarry, termsRulesOf, withSlack } from '../engine/agreement.js';
import { rulesFor } from '../wallet/assetRules.js';
import type { Desk } from '../engine/desk.js';
import { FEE_LAMPORTS, LaterError } from '../engine/move.js';
import type { Move } from '../engine/move.js';
import type { CourierPolicy } from '../policy/policy.js';
import { FundsError } from '../wallet/spending.js';
import { evidenceOf, onTheWay } from './arrival.js';
import type { Arrival } from './arrival.js';
import { inHand } from './handoff.js';
import type { Handoff } from './handoff.js';
import type { Parcels } from './parcels.js';

interface TurnParts {
  readonly courier: CourierPolicy;
  readonly folder: string;
  readonly parcels: Parcels;
}

/** Before a clock ends the last question is to be answered within this, milliseconds. */
const LAST_QUESTION_MS = 20_000;
const LOOK_AGAIN_MS = 1_000;
/** A courier without SOL looks again whether its text was sent. */
const SENT_AGAIN_MS = 10_000;

/** A courier answers the steps of its turns by its policy, which says what is wanted, and by those whom the policy has it ask. */
export class Turns {
  readonly #desk: Desk;
  readonly #parts: TurnParts;
  /** Legs whose parcel is in this courier's hands: nobody is asked again, however often the move has to be tried. */
  readonly #inHands = new Set<string>();
  /** The text of each claim, by leg, so that a repeated one says the same. */
  readonly #said = new Map<string, string>();

  constructor(desk: Desk, parts: TurnParts) {
    this.#desk = desk;
    this.#parts = parts;
  }

  /** The parcels without terms that this courier takes over now. */
  async takeOvers(): Promise<Move[]> {
    const { commitments, session } = this.#desk;
    const moves: Move[] = [];
    for (const leg of commitments.legs) {
      // Legs with terms are taken over in their turn.
      if (leg.kind !== 'physical' || leg.isTurn || leg.takeOverLegId === null || leg.stage !== null) continue;
      const parcel = await this.#parts.parcels.now(leg.packageId);
      const before = parcel && legUnderWay(parcel.swarm);
      if (!before || recipientOf(parcel, before).pubkey !== session.signer.address) continue;
      moves.push(this.#takeOver(parcel, before));
    }
    return moves;
  }

  /** Takes a parcel over once it is in the courier's hands: the courier before is paid by this signature. Rule A-32. */
  #takeOver(parcel: PackageDetail, leg: Leg): Move {
    const { id: packageId, deadline } = parcel;
    const { session, ask } = this.#desk;
    const { courier, folder } = this.#parts;
    const { agentPubkey: from, agreedPayment } = leg;
    const carryOut = async (signal: AbortSignal) => {
      await inHand(courier.handoff, takeoverOf(parcel, leg), { folder, ask, by: session.policy }, signal);
      signal.throwIfAborted();
      const { client, signer, rpc } = session;
      const { signature } = await receive(client, signer, { packageId }, { rpc });
      return `took over package ${packageId}, which pays ${from} ${formatAmount(agreedPayment, parcel)}: ${signature}`;
    };
    return { key: `takeOver:${leg.id}`, deadlineMs: deadline.getTime(), costLamports: FEE_LAMPORTS, carryOut };
  }

  /** Finds what is due about the legs with terms of this courier. */
  async look(): Promise<Move[]> {
    const { commitments, turns: own, session } = this.#desk;
    if (!commitments.legs.some((leg) => leg.kind === 'physical' && leg.stage !== null)) return [];
    const { turns, now } = await own.read();
    const moves: Move[] = [];
    for (const turn of turns) {
      const parcel = turn.kind === 'package' ? await this.#parts.parcels.now(turn.packageId) : undefined;
      if (turn.kind !== 'package' || parcel === undefined) continue;
      const move = this.#moveOf(turnAtHand(turn, parcel, session.signer.address, now()));
      if (move) moves.push(move);
    }
    return moves;
  }

  /** It begins nothing for which the deadline leaves no slack. */
  #moveOf(at: TurnAtHand): Move | undefined {
    const { session, turns } = this.#desk;
    const { own, parcel } = at;
    const needed = own && withSlack(own.estimatedDurationMin, this.#parts.courier.slack);
    const step = nextStep(at, session.signer.address, needed);
    let whyLeft: string | undefined;
    const accepts = () => {
      whyLeft = 'it has no terms';
      if (parcel.terms && own) {
        const rules = termsRulesOf(this.#desk, rulesFor(session.assets, parcel));
        whyLeft = disagreementToCarry(parcel.terms, own.estimatedDurationMin, rules)?.words;
      }
      return whyLeft === undefined;
    };
    return turns.moveOf(at, step, {
      what: step === undefined ? '' : nameOf(step),
      whyLeft: () => whyLeft,
      taker: (signal) => ({
        terms: parcel.terms,
        make: (move) => this.#make(at, move),
        send: (signed) => this.#send(at, signed),
        accepts,
        hasParcel: (isLast) => this.#hasParcel(at, step, { isLast, signal }),
        evidence: (isLast) => this.#evidence(at, { isLast, signal }),
      }),
    });
  }

  async #make({ turn, parcel }: TurnAtHand, move: MoveWithText): Promise<void> {
    try {
      await this.#desk.turns.make(move);
    } catch (error) {
      if (!(error instanceof FundsError) || move.action !== 'confirm') throw error;
      await this.#sayByText(parcel, move);
    } finally {
      this.#parts.parcels.renew(parcel.id);
    }
    if (move.action === 'claim') this.#said.delete(turn.legId);
  }

  /** Takes a parcel over with a wallet that cannot pay a fee: the text costs none, and the courier who is paid by it sends it. Rule A-135. */
  async #sayByText({ id: packageId, terms }: PackageDetail, { legId }: MoveWithText): Promise<never> {
    const { client, signer, rpc } = this.#desk.session;
    await shareHandoff(client, signer, { legId, packageId, terms }, { rpc });
    throw new LaterError(`the text that takes package ${packageId} over waits to be sent`, SENT_AGAIN_MS);
  }

  async #send({ turn, parcel }: TurnAtHand, signed: SignedText): Promise<void> {
    try {
      await this.#desk.turns.send(turn.legId, signed);
    } finally {
      this.#parts.parcels.renew(parcel.id);
    }
  }

  async #hasParcel(at: TurnAtHand, step: Step | undefined, { isLast, signal }: Asked): Promise<boolean> {
    const { courier, folder } = this.#parts;
    const { ask, session } = this.#desk;
    const { legId, legIndex } = at.turn;
    const leg = at.parcel.swarm?.legs[legIndex];
    if (leg === undefined)
      throw new LaterError(`package ${at.parcel.id} has no leg ${legIndex + 1} yet`, LOOK_AGAIN_MS);
    const isTakeover = step?.kind === 'pickUp' && step.action === 'confirm';
    const handoff = isTakeover ? takeoverOf(at.parcel, leg) : pickupOf(at.parcel, leg);
    const isHere = async (within: AbortSignal) => {
      if (!this.#inHands.has(legId))
        await inHand(courier.handoff, handoff, { folder, ask, by: session.policy }, within);
      this.#inHands.add(legId);
      return true;
    };
    const answer = isLast ? await inTime(isHere, signal) : await isHere(signal);
    signal.throwIfAborted();
    return answer ?? false;
  }

  async #evidence(at: TurnAtHand, { isLast, signal }: Asked): Promise<string> {
    const arrival = arrivalOf(at);
    const { courier, folder } = this.#parts;
    const { ask, session } = this.#desk;
    const parts = { folder, ask, by: session.policy, now: at.now };
    const evidence = (within: AbortSignal) => evidenceOf(courier.claim, arrival, parts, within);
    const said = this.#said.get(at.turn.legId);
    const text = said ?? (isLast ? ((await inTime(evidence, signal)) ?? onTheWay(arrival)) : await evidence(signal));
    signal.throwIfAborted();
    this.#said.set(at.turn.legId, text);
    return text;
  }
}

interface Asked {
  readonly isLast: boolean;
  readonly signal: AbortSignal;
}

function nameOf(step: Step): string {
  if (step.kind === 'move') return step.action;
  if (step.kind === 'pickUp') return step.isLast ? 'lastPickUp' : 'pickUp';
  if (step.kind === 'carry') return step.isLast ? 'lastClaim' : 'claim';
  return step.kind;
}

/** At the end of a leg the one who brings the parcel is paid. */
function takeoverOf({ id: packageId, description, asset, decimals }: PackageDetail, leg: Leg): Handoff {
  const place = { lat: leg.dropoffLat, lng: leg.dropoffLng };
  const { id: legId, agentPubkey: from, agreedPayment: pays } = leg;
  return { packageId, legId, description, from, place, pays, asset: { asset, decimals } };
}

/** A pickup pays nobody. */
function pickupOf(parcel: PackageDetail, leg: Leg): Handoff {
  const { id: packageId, description, swarm, shipperPubkey, asset, decimals } = parcel;
  const place = { lat: leg.pickupLat, lng: leg.pickupLng };
  const from = swarm?.legs[leg.legIndex - 1]?.agentPubkey ?? shipperPubkey;
  return { packageId, legId: leg.id, description, from, place, pays: toLamports(0n), asset: { asset, decimals } };
}

function arrivalOf({ turn, parcel, own, now }: TurnAtHand): Arrival {
  const next = parcel.swarm?.legs[turn.legIndex + 1]?.agentPubkey;
  const carriedSince = own?.since ?? now;
  return {
    packageId: parcel.id,
    legId: turn.legId,
    description: parcel.description,
    place: { lat: own?.dropoffLat ?? NaN, lng: own?.dropoffLng ?? NaN },
    recipientPubkey: next ?? parcel.terms?.receiverPubkey ?? parcel.shipperPubkey,
    carriedSince,
    expectedAt: new Date(carriedSince.getTime() + (own?.estimatedDurationMin ?? 0) * 60_000),
  };
}

/** The answer before the clock ends; undefined: a no, or no answer. */
async function inTime<T>(question: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await question(AbortSignal.any([signal, AbortSignal.timeout(LAST_QUESTION_MS)]));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
