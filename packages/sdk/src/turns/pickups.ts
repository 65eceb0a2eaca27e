import type { SignedText } from '@legwork/program-client';
import type { MessagePartialSigner } from '@solana/kit';
import type { LegworkClient } from '../client.js';
import { LegworkApiError, TransactionRefusedError } from '../errors.js';
import type { LedgerSigner } from '../signer.js';
import { type LegMeant, legOnLedger, type MoveOptions } from './buildMove.js';
import { handoffAt, type HandoffMeant, takenNow, takesTexts } from './handoffs.js';
import { buildHandoff } from './sendHandoff.js';
import { type MadeMove, signMove, submitMove } from './makeMove.js';
import { joinMove, offerAmong, readOffer, shareOffer } from './offers.js';
import type { LegOnLedger } from './readLeg.js';
import { handoffCode, isHandoffCode, readHandoffCode, type SaidAtTheDoor, signHandoff } from './signedHandoff.js';

type Options = Pick<MoveOptions, 'rpc'>;

/** A handoff of a leg with terms. */
export type LegHandoff = LegMeant & Pick<HandoffMeant, 'pickup' | 'claimedHash' | 'evenBeforePickup'>;

/** A code that was read, and says what it should. */
type FoundHandoff = NonNullable<Awaited<ReturnType<typeof readHandoffCode>>>;

/**
 * Signs a handoff of a leg with terms, and puts its code among the evidence of the leg, where the other side finds it. One
 * that this key shared before of the same handoff is used again: there is little room, and a text does not expire. Where
 * there is no room, the code only travels from screen to screen. A courier that takes a parcel over keeps the code and sends
 * it itself, by {@link makeHandoff}, before its own clock ends: the courier before may keep its text back. Rule A-130.
 *
 * @returns the code
 * @throws {TransactionRefusedError} when the ledger would not take the text, or another key signs it
 */
export async function shareHandoff(
  client: LegworkClient,
  signer: MessagePartialSigner,
  meant: LegHandoff,
  { rpc, noted }: Options & Pick<SaidAtTheDoor, 'noted'> = {},
): Promise<string> {
  const leg = await legOnLedger(client, signer.address, meant, { rpc });
  const { items } = await client.listEvidence({ legId: meant.legId });
  return shareAmong(client, signer, { ...meant, noted }, { leg, items });
}

/** The data that is read once: each read is a signed request, about which a wallet may ask a person. */
interface AtHand {
  readonly leg: LegOnLedger;
  readonly items: readonly { readonly text: string }[];
}

async function shareAmong(
  client: LegworkClient,
  signer: MessagePartialSigner,
  { legId, pickup, noted, ...details }: LegHandoff & Pick<SaidAtTheDoor, 'noted'>,
  { leg, items }: AtHand,
): Promise<string> {
  const { claimedHash, evenBeforePickup } = details;
  const { ahead, signer: by } = handoffAt(leg, signer.address, { pickup, claimedHash, evenBeforePickup });
  if (by !== signer.address) throw new TransactionRefusedError(`this handoff is signed by ${by}`);
  const isSame = ({ signer: of, handoff }: FoundHandoff) =>
    of === by && (handoff.said === 'accepted' || String(handoff.noted) === String(noted));
  const shared = await handoffAmong(items, leg, { pickup }, isSame);
  if (shared !== undefined) return handoffCode(shared);
  const code = handoffCode(await signHandoff(signer, ahead, { noted }));
  await client.putEvidence({ legId, text: code }).catch((error: unknown) => {
    if (!(error instanceof LegworkApiError) || error.code !== 'invalid_status') throw error;
  });
  return code;
}

/**
 * Finds the newest handoff among the evidence of a leg that the ledger would take now: of this leg and
 * formation, and signed by the right key. Other texts there are passed over, whoever wrote them. Rule A-131.
 *
 * @returns undefined: nobody has signed yet
 */
export async function findHandoff(
  client: LegworkClient,
  leg: LegOnLedger,
  { legId, pickup }: Pick<LegHandoff, 'legId' | 'pickup'>,
): Promise<FoundHandoff | undefined> {
  const { items } = await client.listEvidence({ legId });
  return handoffAmong(items, leg, { pickup }, () => true);
}

async function handoffAmong(
  items: AtHand['items'],
  leg: LegOnLedger,
  { pickup }: Pick<LegHandoff, 'pickup'>,
  isMeant: (found: FoundHandoff) => boolean,
): Promise<FoundHandoff | undefined> {
  for (const { text } of items.toReversed()) {
    const found = await handoffIn(text, leg, { pickup });
    if (found !== undefined && isMeant(found)) return found;
  }
  return undefined;
}

/** The content of a code for this leg, or undefined if the ledger would not take it now. */
export async function handoffIn(
  code: string,
  leg: LegOnLedger,
  { pickup = false }: Pick<LegHandoff, 'pickup'>,
): Promise<FoundHandoff | undefined> {
  const found = await readHandoffCode(code);
  if (found === undefined) return undefined;
  const { signer, handoff } = found;
  const isOfLeg = handoff.listing === leg.listing && handoff.legIndex === leg.index;
  if (!isOfLeg || (handoff.said === 'picked up') !== pickup) return undefined;
  if (handoff.signedAt.getTime() > Number(leg.now) * 1_000 + MOST_AHEAD_MS) return undefined;
  try {
    takenNow(leg, signer, handoff);
    return found;
  } catch (error) {
    if (error instanceof TransactionRefusedError) return undefined;
    throw error;
  }
}

/** So much later than the ledger's time the time of a text may be. Rule P-106. */
const MOST_AHEAD_MS = 900_000;

/**
 * Sends a handoff of a leg with terms that somebody signed, by the service, as `makeMove` hands a move in. `submitHandoff` does without it.
 *
 * @param payer pays the fee; of a pickup, its courier
 * @throws as `makeMove`; {TransactionRefusedError} when the ledger would not take the handoff now
 */
export async function makeHandoff(
  client: LegworkClient,
  payer: LedgerSigner,
  meant: LegMeant & { readonly signed: SignedText },
  options: Options = {},
): Promise<MadeMove> {
  return send(client, payer, { ...meant, leg: await legOnLedger(client, payer.address, meant, options) }, options);
}

interface ToSend extends Pick<LegMeant, 'legId'> {
  readonly leg: LegOnLedger;
  readonly signed: SignedText;
}

async function send(client: LegworkClient, payer: LedgerSigner, { signed, ...of }: ToSend, options: Options) {
  const built = await buildHandoff(client, payer.address, signed, options);
  return submitMove(client, of, await signMove(built, [payer]), options);
}

/** Reports whether a text only travels among the evidence of a leg: a signed handoff, or a half of a move that two sign. It shows nothing. */
export const isPassedOn = (text: string): boolean => isHandoffCode(text) || readOffer(text) !== undefined;

/** How far a shipper got with its part of a pickup. */
export interface SignedPickup {
  /** The courier had offered a transaction, as couriers did before there were texts: it has landed with both signatures. */
  readonly made?: MadeMove;
  /** The signed text, for the courier, who finds it among the evidence of the leg too. */
  readonly code?: string;
}

/**
 * Signs as the shipper the text by which its first courier has the parcel. Call it when the courier is there, and let the parcel go only once
 * the ledger has it: when `getPackage` shows the leg's `stage` as `carried`. The courier sends the text at once; until then it has accepted the
 * leg and no more, so it could leave with the parcel and lose nothing.
 *
 * @returns neither: what was listed before there were texts needs the courier's half first, among the evidence of the leg
 * @throws {TransactionRefusedError} when nobody waits for this signature, or the wallet signs no messages
 */
export async function signPickup(
  client: LegworkClient,
  signer: LedgerSigner | (LedgerSigner & MessagePartialSigner),
  meant: LegMeant,
  options: Options = {},
): Promise<SignedPickup> {
  const leg = await legOnLedger(client, signer.address, meant, options);
  const { items } = await client.listEvidence({ legId: meant.legId });
  const offer = offerAmong(items, signer.address, { action: 'take' });
  if (offer !== undefined) {
    const { listingOf } = leg;
    return { made: await joinMove(client, signer, { ...offer, ...listingOf, legId: meant.legId }, options) };
  }
  if (!takesTexts(leg)) return {};
  if (!('signMessages' in signer)) {
    throw new TransactionRefusedError(
      'this wallet signs no messages, and a pickup is signed as one: use a wallet that does',
    );
  }
  return { code: await shareAmong(client, signer, { ...meant, pickup: true }, { leg, items }) };
}

/**
 * Sends the pickup as its courier, once the shipper has signed it. The caller says that the parcel is in its hands.
 *
 * @param code that the shipper showed; left out, it is looked for among the evidence of the leg
 * @returns undefined: the shipper has not signed yet
 * @throws {TransactionRefusedError} when the code is none that the ledger would take of this leg
 */
export async function joinPickup(
  client: LegworkClient,
  courier: LedgerSigner,
  { code, ...meant }: LegMeant & { readonly code?: string | undefined },
  options: Options = {},
): Promise<MadeMove | undefined> {
  const found = await pickupOf(client, courier, { code, ...meant }, options);
  return found && send(client, courier, found, options);
}

/** The pickup that {@link joinPickup} sends. For a listing that takes no texts the courier's half is offered as before. */
export async function pickupOf(
  client: LegworkClient,
  courier: LedgerSigner,
  { code, ...meant }: LegMeant & { readonly code?: string | undefined },
  options: Options,
): Promise<ToSend | undefined> {
  const { legId } = meant;
  const leg = await legOnLedger(client, courier.address, meant, options);
  if (!takesTexts(leg)) return offerFormer(client, courier, meant, options);
  const found =
    code === undefined ? findHandoff(client, leg, { legId, pickup: true }) : handoffIn(code, leg, { pickup: true });
  const signed = await found;
  if (signed !== undefined) return { legId, leg, signed };
  if (code === undefined) return undefined;
  throw new TransactionRefusedError(`this is no code by which ${leg.lister} hands the parcel to ${leg.worker}`);
}

/** An author has little room in a leg's evidence, and a claim needs some of it: so many offers go there, and no more. */
const MOST_OFFERS = 2;
/** Between two offers the first one has to be too old to land, milliseconds. */
const OFFER_AGAIN_MS = 600_000;

/** No text is about what was listed before there were texts: the courier's half of the transaction travels as evidence. */
async function offerFormer(
  client: LegworkClient,
  courier: LedgerSigner,
  meant: LegMeant,
  options: Options,
): Promise<undefined> {
  const { legId } = meant;
  const { items } = await client.listEvidence({ legId });
  const own = items.filter(({ authorPubkey, text }) => authorPubkey === courier.address && readOffer(text));
  const newest = Math.max(0, ...own.map(({ createdAt }) => createdAt.getTime()));
  if (own.length >= MOST_OFFERS || Date.now() - newest < OFFER_AGAIN_MS) return undefined;
  await shareOffer(client, courier, { ...meant, action: 'take' }, options);
  return undefined;
}
