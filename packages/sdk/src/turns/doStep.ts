import { LegStatus } from '@legwork/program-client';
import type { LegTurnView } from '@legwork/protocol/contract';
import type { RelayClient } from '../client.js';
import { RelayApiError } from '../errors.js';
import type { LedgerSigner } from '../signer.js';
import { legOnLedger } from './buildMove.js';
import { completeDigitalLeg } from './completeDigitalLeg.js';
import { makeMove } from './makeMove.js';
import type { MadeMove, MoveWithText } from './makeMove.js';
import { endsLate } from './nextStep.js';
import type { Step, TaskAtHand, TaskStep, TurnAtHand } from './nextStep.js';
import { offerMove, offerText, readOffer } from './offers.js';
import type { MoveOffer } from './offers.js';
import type { TurnRpc } from './readLeg.js';

type Answer<T> = T | Promise<T>;

/** What a key that follows its turns knows of the world. Every question is asked again and again, and answered at once. */
export interface TurnPolicy {
  /** Whether a leg that was given to this key is wanted; default: yes. A leg that is not is vacated, which costs nothing. */
  accepts?(at: TurnAtHand): Answer<boolean>;
  /** Whether the parcel is in this key's hands. Only then is it picked up or taken over; left out: it never is, as for agents of tasks. */
  hasParcel?(at: TurnAtHand): Answer<boolean>;
  /**
   * The ledger shows that this key has the parcel now: it may leave. Told once in each run, also after a restart on the way.
   */
  carried?(at: TurnAtHand): Answer<void>;
  /**
   * What shows that the parcel is at the leg's end, where nobody relieves this key: text of at most 256 KiB, which everybody in the
   * package can read. Undefined: it is not there yet. `isLast`: two minutes before the clock ends; what is told then says where the
   * parcel is, and without it the stake may be lost.
   */
  evidence?(at: TurnAtHand, isLast: boolean): Answer<string | undefined>;
  /**
   * Passes on a pickup that the shipper has to sign too, within a minute: from screen to screen, as `offerText`. Default: the first one
   * and another ten minutes later are put among the evidence of the leg, where `joinOffered` finds them.
   */
  offers?(offer: MoveOffer, at: TurnAtHand): Answer<void>;
  /**
   * What this key's leg of a digital task comes to: it is handed in, and the leg is claimed with it. Undefined: not yet. `isLast`: two
   * minutes before the clock ends; without a result the leg is left then, which costs nothing. What a key has claimed it accepts unasked.
   */
  result?(at: TaskAtHand, isLast: boolean): Answer<string | undefined>;
  /** A move was made. */
  made?(move: MadeMove, at: TurnAtHand | TaskAtHand, action: string): void;
  /** Something could not be done; it is tried again. */
  failed?(error: unknown, turn: LegTurnView | undefined): void;
}

/** Who follows its turns. */
export interface Follower {
  readonly client: RelayClient;
  readonly signer: LedgerSigner;
  readonly policy: TurnPolicy;
  readonly rpc: TurnRpc;
  /** Legs of this run whose policy was told that they are carried. */
  readonly told: Set<string>;
}

/** Does what is to do about a turn, as far as the policy allows. @throws what `makeMove` throws */
export async function doStep(follower: Follower, at: TurnAtHand, step: Step): Promise<void> {
  const { policy } = follower;
  switch (step.kind) {
    case 'move':
      if (step.action === 'vacate' && (await isTakingOver(follower, at))) return undefined;
      return move(follower, at, { action: step.action });
    case 'accept':
      return move(follower, at, { action: ((await policy.accepts?.(at)) ?? true) ? 'accept' : 'vacate' });
    case 'pickUp':
      return pickUp(follower, at, step);
    case 'carry':
      return carry(follower, at, step.isLast);
  }
}

/** The same about a leg of a digital task. */
export async function doTaskStep(follower: Follower, at: TaskAtHand, step: TaskStep): Promise<void> {
  if (step.kind === 'move') return move(follower, at, { action: step.action });
  if (step.kind === 'accept') return move(follower, at, { action: 'accept' });
  const result = await follower.policy.result?.(at, step.elseVacate);
  if (result !== undefined) return orWithStored(follower, at, () => handIn(follower, at, result));
  if (step.elseVacate) return move(follower, at, { action: 'vacate' });
}

async function handIn({ client, signer, policy, rpc }: Follower, at: TaskAtHand, result: string): Promise<void> {
  const { taskId, legId } = at.turn;
  const { claim } = await completeDigitalLeg(client, signer, { taskId, legId, result }, { rpc });
  if (claim !== null) policy.made?.(claim, at, 'claim');
}

/** Who waits for a parcel and has it now takes it over, which is a step of the leg before. */
async function isTakingOver({ policy }: Follower, at: TurnAtHand): Promise<boolean> {
  const { turn, own } = at;
  const isWaiting = turn.stage === 'accepted' && !turn.actions.includes('take');
  return isWaiting && own !== undefined && !endsLate(at, own) && ((await policy.hasParcel?.(at)) ?? false);
}

async function move(
  { client, signer, policy, rpc }: Follower,
  at: TurnAtHand | TaskAtHand,
  details: Pick<MoveWithText, 'action' | 'text' | 'hash'>,
): Promise<void> {
  const { turn } = at;
  const of = turn.kind === 'package' ? { packageId: turn.packageId } : { taskId: turn.taskId };
  const made = await makeMove(client, signer, { legId: turn.legId, ...of, ...details }, { rpc });
  policy.made?.(made, at, details.action);
}

async function pickUp(follower: Follower, at: TurnAtHand, step: Step & { kind: 'pickUp' }): Promise<void> {
  const { action, elseVacate } = step;
  const isCosigned = action === 'take' && at.turn.legIndex === 0 && at.parcel.terms?.cosignedPickup === true;
  const isThere = (await follower.policy.hasParcel?.(at)) ?? false;
  // A shipper who does not sign must not cost the courier its stake.
  if (elseVacate && (isCosigned || !isThere)) return move(follower, at, { action: 'vacate' });
  if (!isThere) return undefined;
  if (isCosigned) return offerPickup(follower, at);
  await move(follower, at, { action });
  return tellCarried(follower, at);
}

async function carry(follower: Follower, at: TurnAtHand, isLast: boolean): Promise<void> {
  await tellCarried(follower, at);
  const text = await follower.policy.evidence?.(at, isLast);
  if (text !== undefined) await orWithStored(follower, at, () => move(follower, at, { action: 'claim', text }));
}

/** What the service answers where an author has stored all that it may, or the leg stands elsewhere. */
const NO_ROOM: ReadonlySet<string> = new Set(['invalid_status', 'result_submitted']);

/** Claims; where the evidence has no room left, as after claims that did not land, the claim names what was stored last. */
async function orWithStored(
  follower: Follower,
  at: TurnAtHand | TaskAtHand,
  claim: () => Promise<void>,
): Promise<void> {
  const { client, signer } = follower;
  try {
    await claim();
  } catch (error) {
    if (!(error instanceof RelayApiError) || !NO_ROOM.has(error.code)) throw error;
    const { items } = await client.listEvidence({ legId: at.turn.legId });
    const stored = items.findLast((one) => one.authorPubkey === signer.address && !readOffer(one.text));
    if (stored === undefined) throw error;
    await move(follower, at, { action: 'claim', hash: stored.hash });
  }
}

/** The ledger is asked itself: who leaves with a parcel that it did not pick up there has no claim to anything. */
async function tellCarried({ client, signer, policy, rpc, told }: Follower, at: TurnAtHand): Promise<void> {
  const { own, parcel } = at;
  if (own === undefined || told.has(own.id)) return;
  const move = { legId: own.id, packageId: parcel.id };
  const leg = await legOnLedger(client, signer.address, move, { rpc });
  if (leg.worker !== signer.address || leg.status !== LegStatus.Carried) return;
  told.add(own.id);
  await policy.carried?.(at);
}

/** What an author may add to a leg's evidence is little, and a claim needs some of it: so many offers go there, and no more. */
const MOST_OFFERS = 2;
const OFFER_AGAIN_MS = 600_000;

async function offerPickup({ client, signer, policy, rpc }: Follower, at: TurnAtHand): Promise<void> {
  const { legId, packageId } = at.turn;
  const make = () => offerMove(client, signer, { legId, packageId, action: 'take' }, { rpc });
  if (policy.offers !== undefined) return policy.offers(await make(), at);
  const { items } = await client.listEvidence({ legId });
  const own = items.filter(({ authorPubkey, text }) => authorPubkey === signer.address && readOffer(text));
  const newest = Math.max(0, ...own.map(({ createdAt }) => createdAt.getTime()));
  if (own.length >= MOST_OFFERS || Date.now() - newest < OFFER_AGAIN_MS) return undefined;
  await client.putEvidence({ legId, text: offerText(await make()) });
}
