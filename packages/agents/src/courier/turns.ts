import { formatSol, offerMove, offerText, readOffer } from '@legwork/sdk';
import type { Leg, MoveAction, PackageTurnView, Step, TurnAtHand } from '@legwork/sdk';
import { disagreementToCarry } from '../engine/agreement.js';
import type { TermsRules } from '../engine/agreement.js';
import type { Desk } from '../engine/desk.js';
import { FEE_LAMPORTS, LaterError } from '../engine/move.js';
import type { Move } from '../engine/move.js';
import { deadlineMsOf, MOVE_WORDS } from '../engine/ownTurns.js';
import type { CourierPolicy } from '../policy/policy.js';
import { evidenceOf, onTheWay } from './arrival.js';
import type { Arrival } from './arrival.js';
import { inHand } from './handoff.js';
import type { Handoff } from './handoff.js';
import type { Parcels } from './parcels.js';
import { slackStep } from './slack.js';

interface TurnParts {
  readonly courier: CourierPolicy;
  readonly folder: string;
  readonly parcels: Parcels;
  readonly terms: TermsRules;
}

/** Before a clock ends the last question is to be answered within this, milliseconds. */
const LAST_QUESTION_MS = 20_000;
/** A pickup that the shipper signs too is offered so often at most; between two offers the first one has to be too old to land. */
const MOST_OFFERS = 2;
const OFFER_AGAIN_MS = 600_000;
const OFFER_LOOK_MS = 10_000;

/** The turns of a courier in packages with terms: it accepts, takes, takes over, claims, leaves in time and cranks. Rule A-36. */
export class Turns {
  readonly #desk: Desk;
  readonly #parts: TurnParts;
  /** Legs whose parcel is in this courier's hands: nobody is asked again, however often the move has to be tried. */
  readonly #inHands = new Set<string>();
  /** What is under way about a leg. */
  readonly #underWay = new Map<string, Move>();
  /** What was said with a claim, by leg, so that a repeated one says the same. */
  readonly #said = new Map<string, string>();

  constructor(desk: Desk, parts: TurnParts) {
    this.#desk = desk;
    this.#parts = parts;
  }

  /** What is due about the legs of this courier. */
  async look(): Promise<Move[]> {
    const { commitments, turns: own } = this.#desk;
    if (!commitments.legs.some((leg) => leg.kind === 'physical' && leg.stage !== null)) return [];
    const { turns, now } = await own.read();
    const moves: Move[] = [];
    for (const turn of turns) {
      if (turn.kind !== 'package') continue;
      const at = await this.#atHand(turn, now());
      const move = at && this.#moveOf(at);
      if (move) moves.push(move);
    }
    return moves;
  }

  async #atHand(turn: PackageTurnView, now: Date): Promise<TurnAtHand | undefined> {
    const parcel = await this.#parts.parcels.now(turn.packageId);
    if (!parcel) return undefined;
    const { address } = this.#desk.session.signer;
    const isOurs = ({ id, legIndex, agentPubkey }: Leg) =>
      agentPubkey === address && (id === turn.legId || legIndex === turn.legIndex + 1);
    return { turn, parcel, own: parcel.swarm?.legs.find(isOurs), now };
  }

  #moveOf(at: TurnAtHand): Move | undefined {
    const { session, turns } = this.#desk;
    const { legId } = at.turn;
    if (turns.isMaking(legId)) return this.#underWay.get(legId);
    const step = slackStep(at, session.signer.address, this.#parts.courier.slack);
    if (step === undefined || turns.isSigned(legId)) return undefined;
    const move: Move = {
      key: keyOf(step, legId),
      deadlineMs: deadlineMsOf(at.turn, at.now),
      costLamports: FEE_LAMPORTS,
      carryOut: (signal) => {
        this.#underWay.set(legId, move);
        return this.#carryOut(at, step, signal);
      },
    };
    return move;
  }

  #carryOut(at: TurnAtHand, step: Step, signal: AbortSignal): Promise<string> {
    if (step.kind === 'move') return this.#make(at, step.action);
    if (step.kind === 'accept') return this.#acceptOrLeave(at);
    return step.kind === 'pickUp' ? this.#pickUp(at, step, signal) : this.#claim(at, step.isLast, signal);
  }

  async #acceptOrLeave(at: TurnAtHand): Promise<string> {
    const { terms } = at.parcel;
    const why =
      terms && at.own
        ? disagreementToCarry(terms, at.own.estimatedDurationMin, this.#parts.terms)?.words
        : 'it has no terms';
    if (why === undefined) return this.#make(at, 'accept');
    return `${await this.#make(at, 'vacate')}: ${why}`;
  }

  async #pickUp(at: TurnAtHand, step: Extract<Step, { kind: 'pickUp' }>, signal: AbortSignal): Promise<string> {
    const { courier, folder } = this.#parts;
    const { ask, session } = this.#desk;
    const isCosigned = step.action === 'take' && at.turn.legIndex === 0 && at.parcel.terms?.cosignedPickup === true;
    const isHere = async (within: AbortSignal) => {
      if (this.#inHands.has(at.turn.legId)) return true;
      await inHand(courier.handoff, handoffOf(at, step.action), { folder, ask, by: session.policy }, within);
      this.#inHands.add(at.turn.legId);
      return true;
    };
    // Where the shipper has not signed by then either, nobody can say that the parcel was handed over.
    const isGivenUp = step.elseVacate && (isCosigned || !(await inTime(isHere, signal)));
    if (isGivenUp) return this.#make(at, 'vacate');
    await isHere(signal);
    signal.throwIfAborted();
    return isCosigned ? this.#offer(at) : this.#make(at, step.action);
  }

  async #claim(at: TurnAtHand, isLast: boolean, signal: AbortSignal): Promise<string> {
    const arrival = arrivalOf(at);
    const { courier, folder } = this.#parts;
    const { ask, session } = this.#desk;
    const parts = { folder, ask, by: session.policy, now: at.now };
    const evidence = (within: AbortSignal) => evidenceOf(courier.claim, arrival, parts, within);
    const said = this.#said.get(at.turn.legId);
    const text = said ?? (isLast ? ((await inTime(evidence, signal)) ?? onTheWay(arrival)) : await evidence(signal));
    signal.throwIfAborted();
    this.#said.set(at.turn.legId, text);
    const words = await this.#make(at, 'claim', text);
    this.#said.delete(at.turn.legId);
    return words;
  }

  async #make({ turn }: TurnAtHand, action: MoveAction, text?: string): Promise<string> {
    const { legId, packageId, legIndex } = turn;
    const { turns } = this.#desk;
    try {
      await turns.alone(legId, () => turns.handIn({ legId, packageId, action, text }));
    } finally {
      this.#parts.parcels.renew(packageId);
    }
    return `${MOVE_WORDS[action]} leg ${legIndex + 1} of package ${packageId}${stakeWords(turn, action)}`;
  }

  /** Leaves the courier's half of a pickup where the shipper finds it. @throws {LaterError} the shipper has to sign yet */
  async #offer({ turn: { legId, packageId } }: TurnAtHand): Promise<string> {
    const { client, signer, rpc } = this.#desk.session;
    const { items } = await client.listEvidence({ legId });
    const own = items.filter(({ authorPubkey, text }) => authorPubkey === signer.address && readOffer(text));
    const newest = Math.max(0, ...own.map(({ createdAt }) => createdAt.getTime()));
    if (own.length < MOST_OFFERS && Date.now() - newest >= OFFER_AGAIN_MS) {
      const offer = await offerMove(client, signer, { legId, packageId, action: 'take' }, { rpc });
      await client.putEvidence({ legId, text: offerText(offer) });
    }
    throw new LaterError(`the shipper has to sign the pickup of package ${packageId} too`, OFFER_LOOK_MS);
  }
}

const stakeWords = ({ stakeLamports }: PackageTurnView, action: MoveAction) =>
  action === 'accept' ? `, with a stake of ${formatSol(stakeLamports)} SOL` : '';

/** A step whose question changes is another one: that which waits for an answer is given up. */
function keyOf(step: Step, legId: string): string {
  if (step.kind === 'move') return `${step.action}:${legId}`;
  if (step.kind === 'accept') return `accept:${legId}`;
  if (step.kind === 'pickUp') return `${step.elseVacate ? 'lastPickUp' : 'pickUp'}:${legId}`;
  return `${step.isLast ? 'lastClaim' : 'claim'}:${legId}`;
}

function handoffOf({ turn, parcel }: TurnAtHand, action: 'take' | 'confirm'): Handoff {
  const legs = parcel.swarm?.legs ?? [];
  const [before, leg] = [legs[turn.legIndex - 1], legs[turn.legIndex]];
  const common = { packageId: parcel.id, legId: turn.legId, description: parcel.description };
  if (action === 'confirm') {
    const place = { lat: leg?.dropoffLat ?? NaN, lng: leg?.dropoffLng ?? NaN };
    return { ...common, from: turn.agentPubkey, place, paysLamports: turn.paymentLamports };
  }
  const place = { lat: leg?.pickupLat ?? NaN, lng: leg?.pickupLng ?? NaN };
  return { ...common, from: before?.agentPubkey ?? parcel.shipperPubkey, place, paysLamports: 0n };
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

/** What is answered before the clock ends; undefined: a no, or no answer. */
async function inTime<T>(question: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await question(AbortSignal.any([signal, AbortSignal.timeout(LAST_QUESTION_MS)]));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
