import { createUuid } from '@legwork/protocol/contract';
import {
  buildMove,
  formatSol,
  ledgerNowMs,
  nextStep,
  offerMove,
  offerText,
  readOffer,
  signMove,
  withEvidence,
} from '@legwork/sdk';
import type { Leg, MoveAction, MoveWithText, PackageTurnView, RelayEvent, Step, TurnAtHand } from '@legwork/sdk';
import type { Desk } from '../engine/desk.js';
import { LaterError } from '../engine/move.js';
import type { Move } from '../engine/move.js';
import type { CourierPolicy } from '../policy/policy.js';
import { disagreement } from './agreeable.js';
import type { TermsRules } from './agreeable.js';
import { evidenceOf, onTheWay } from './arrival.js';
import type { Arrival } from './arrival.js';
import { inHand } from './handoff.js';
import type { Handoff } from './handoff.js';
import type { Parcels } from './parcels.js';
import { CONFIRM_LAMPORTS } from './takeOver.js';

interface TurnParts {
  readonly courier: CourierPolicy;
  readonly folder: string;
  readonly parcels: Parcels;
  readonly terms: TermsRules;
}

interface Known {
  readonly turns: readonly PackageTurnView[];
  /** The ledger's time when they were read, and this machine's, milliseconds since 1970. */
  readonly ledgerMs: number;
  readonly readMs: number;
}

const LASTS_MS = 10_000;
/** Before a clock ends the last question is to be answered within this, milliseconds. */
const LAST_QUESTION_MS = 20_000;
/** A pickup that the shipper signs too is offered so often at most; between two offers the first one has to be too old to land. */
const MOST_OFFERS = 2;
const OFFER_AGAIN_MS = 600_000;
const OFFER_LOOK_MS = 10_000;
const MOVE_AGAIN_MS = 1_000;

/** The turns of a courier in packages with terms: it accepts, takes, takes over, claims, leaves in time and cranks. Rule A-36. */
export class Turns {
  readonly #desk: Desk;
  readonly #parts: TurnParts;
  #known: Known | undefined;
  /** Legs whose parcel is in this courier's hands: nobody is asked again, however often the move has to be tried. */
  readonly #inHands = new Set<string>();
  /** What is under way about a leg. */
  readonly #underWay = new Map<string, Move>();
  /** Legs of which a move is being signed and handed in: one at a time, and to its end. */
  readonly #making = new Set<string>();
  /** What was said with a claim, by leg, so that a repeated one says the same. */
  readonly #said = new Map<string, string>();

  constructor(desk: Desk, parts: TurnParts) {
    this.#desk = desk;
    this.#parts = parts;
  }

  hear(event: RelayEvent): void {
    const { packageId } = 'packageId' in event ? event : {};
    if (packageId !== undefined && this.#desk.commitments.packageIds.has(packageId)) this.#known = undefined;
  }

  /** What is due about the legs of this courier. */
  async look(): Promise<Move[]> {
    const { commitments } = this.#desk;
    if (!commitments.legs.some((leg) => leg.kind === 'physical' && leg.stage !== null)) return [];
    const { turns, ledgerMs, readMs } = await this.#read();
    const moves: Move[] = [];
    for (const turn of turns) {
      if (turn.kind !== 'package') continue;
      const at = await this.#atHand(turn, new Date(ledgerMs + Date.now() - readMs));
      const move = at && this.#moveOf(at);
      if (move) moves.push(move);
    }
    return moves;
  }

  async #read(): Promise<Known> {
    if (this.#known && this.#known.readMs + LASTS_MS > Date.now()) return this.#known;
    const { client, signer, rpc } = this.#desk.session;
    const readMs = Date.now();
    const [{ items }, ledgerMs] = await Promise.all([client.listTurns({ pubkey: signer.address }), ledgerNowMs(rpc)]);
    const turns = items.filter((turn) => turn.kind === 'package');
    this.#known = { turns, ledgerMs, readMs };
    return this.#known;
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
    const { session, calls } = this.#desk;
    const { legId, until } = at.turn;
    if (this.#making.has(legId)) return this.#underWay.get(legId);
    const step = nextStep(at, session.signer.address);
    // What was signed may still land: first its end has to be known.
    if (step === undefined || calls.isOpen('submitTurn', legId)) return undefined;
    const leftMs = until === null ? 0 : until.getTime() - at.now.getTime();
    const move: Move = {
      key: keyOf(step, legId),
      // What is late is still good as long as nobody used it.
      deadlineMs: leftMs > 0 ? Date.now() + leftMs : Infinity,
      costLamports: CONFIRM_LAMPORTS,
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

  #acceptOrLeave(at: TurnAtHand): Promise<string> {
    const { terms } = at.parcel;
    const why =
      terms && at.own ? disagreement(terms, at.own.estimatedDurationMin, this.#parts.terms) : 'it has no terms';
    return this.#make(at, why === undefined ? 'accept' : 'vacate');
  }

  async #pickUp(at: TurnAtHand, step: Extract<Step, { kind: 'pickUp' }>, signal: AbortSignal): Promise<string> {
    const { courier, folder } = this.#parts;
    const { ask } = this.#desk;
    const isCosigned = step.action === 'take' && at.turn.legIndex === 0 && at.parcel.terms?.cosignedPickup === true;
    const isHere = async (within: AbortSignal) => {
      if (this.#inHands.has(at.turn.legId)) return true;
      await inHand(courier.handoff, handoffOf(at, step.action), { folder, ask }, within);
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
    const parts = { folder, ask: this.#desk.ask, now: at.now };
    const evidence = (within: AbortSignal) => evidenceOf(courier.claim, arrival, parts, within);
    const said = this.#said.get(at.turn.legId);
    const text = said ?? (isLast ? ((await inTime(evidence, signal)) ?? onTheWay(arrival)) : await evidence(signal));
    signal.throwIfAborted();
    this.#said.set(at.turn.legId, text);
    const words = await this.#make(at, 'claim', text);
    this.#said.delete(at.turn.legId);
    return words;
  }

  /**
   * Signs a move and hands it in. What is signed is the move of the ledger's leg, whatever the service builds; from then on the same bytes
   * are handed in until the ledger says what became of them, also after a restart.
   */
  async #make({ turn }: TurnAtHand, action: MoveAction, text?: string): Promise<string> {
    const { legId, packageId, legIndex } = turn;
    if (this.#making.has(legId)) throw new LaterError(`a move of leg ${legId} is being made`, MOVE_AGAIN_MS);
    this.#making.add(legId);
    try {
      await this.#handIn({ legId, packageId, action, text });
    } finally {
      this.#making.delete(legId);
      this.#known = undefined;
      this.#parts.parcels.renew(packageId);
    }
    return `${WORDS[action]} leg ${legIndex + 1} of package ${packageId}${stakeWords(turn, action)}`;
  }

  async #handIn(asked: MoveWithText): Promise<void> {
    const { session, calls } = this.#desk;
    const { client, signer, rpc, journal } = session;
    const { legId, action } = asked;
    const built = await buildMove(client, signer.address, await withEvidence(client, asked), { rpc });
    const other = built.signers.find((one) => one !== signer.address);
    if (other !== undefined) throw new LaterError(`${other} has to sign this ${action} too`, OFFER_LOOK_MS);
    const input = { legId, transaction: await signMove(built, [signer]) };
    await calls.make(journal, { call: 'submitTurn', subject: legId, key: createUuid(), input });
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

const WORDS: Readonly<Record<MoveAction, string>> = {
  accept: 'accepted',
  take: 'took the parcel of',
  vacate: 'left',
  claim: 'claimed',
  confirm: 'took over at the end of',
  dispute: 'disputed',
  rule: 'ruled',
  agree: 'agreed about',
  crank: 'carried out what silence decided of',
};

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
