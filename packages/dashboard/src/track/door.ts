import {
  handoffAhead,
  handoffCode,
  isHandoffCode,
  LegworkApiError,
  readHandoffCode,
  receiverOfWords,
  signHandoff,
  SOL,
  toRequestSigner,
  TransactionRefusedError,
} from '@legwork/sdk';
import type { HandoffAhead } from '@legwork/program-client';
import { address, createSolanaRpc, type KeyPairSigner } from '@solana/kit';
import { get, update } from 'idb-keyval';
import type { Note } from '../door/note.js';
import { storeOf } from '../door/store.js';
import { AwayError, type Parcel, type ParcelLeg, putEvidence, readConfig, readParcel, termsOf } from './service.js';
import { m, t } from '../language.js';

/** What this phone keeps of one delivery: enough for a door without a network. The words of its link are not kept. */
interface Kept {
  readonly parcel?: Parcel;
  readonly ahead?: HandoffAhead;
  /** What was signed, with the words that were noted. */
  readonly code?: string;
  /** Texts that are to be sent, in order. */
  readonly waiting?: readonly Note[];
  /** What the service did not take. */
  readonly untaken?: Untaken | undefined;
}

/** A text that the service refused, and why. A note is nowhere else; a code can still be scanned. */
export interface Untaken extends Note {
  readonly why: string;
}

const store = storeOf('legwork-track', 'deliveries');

/** The same as long as the page is open: storage that is full or forbidden keeps nothing, and nothing that waits is lost by it. */
const here = new Map<string, Kept>();

async function kept(id: string): Promise<Kept> {
  const stored = await get<Kept>(id, store).catch(() => undefined);
  return { ...stored, ...here.get(id) };
}

async function keep(id: string, part: Kept): Promise<void> {
  here.set(id, { ...here.get(id), ...part });
  await update<Kept>(id, (before) => ({ ...before, ...part }), store).catch(() => undefined);
}

/** A delivery as it was last known here. */
export interface Delivery {
  readonly parcel: Parcel;
  /** Undefined: it is of this moment. */
  readonly why: string | undefined;
}

/** @throws Error in words for people, when the service refused, or never said anything of it here */
export async function readDelivery(id: string): Promise<Delivery> {
  try {
    const parcel = await readParcel(id);
    await keep(id, { parcel });
    return { parcel, why: undefined };
  } catch (error) {
    const before = error instanceof AwayError ? await keptDelivery(id, error.message) : undefined;
    if (before === undefined) throw error;
    return before;
  }
}

/** A delivery as this phone kept it. @param why it is not of this moment */
export async function keptDelivery(id: string, why: string): Promise<Delivery | undefined> {
  const { parcel } = await kept(id);
  return parcel && { parcel, why };
}

/** The key of the link's words. @returns undefined: they are of another delivery @throws TypeError: they are not six */
export async function receiverOf({ shipperPubkey, terms }: Parcel, words: string): Promise<KeyPairSigner | undefined> {
  const signer = await receiverOfWords(words, shipperPubkey);
  return signer.address === terms?.receiverPubkey ? signer : undefined;
}

/** The leg that ends at the consignee's door. */
export const lastLeg = ({ swarm }: Parcel): ParcelLeg | undefined => swarm?.legs.at(-1);

/**
 * What the text of the handoff will say, read from the ledger as soon as the last courier has the parcel, and kept for where there is no
 * network.
 *
 * @throws {TransactionRefusedError} when the ledger takes no text now, and says why
 */
export async function readAhead(parcel: Parcel, receiver: string): Promise<HandoffAhead> {
  const leg = lastLeg(parcel);
  if (leg === undefined) throw new TransactionRefusedError(t('nobody carries it yet'));
  try {
    const { rpcUrl, programId, assets = [] } = await readConfig();
    const { id: packageId, shipperPubkey, asset = SOL.asset } = parcel;
    // SOL has number 0, and what the service does not list has none.
    const assetNumber = asset === SOL.asset ? 0 : (assets.find((one) => one.asset === asset)?.number ?? -1);
    const said = { packageId, shipperPubkey, terms: termsOf(parcel), assetNumber };
    const where = { programId: address(programId), said };
    const ahead = await handoffAhead(createSolanaRpc(rpcUrl), where, receiver, { legIndex: leg.legIndex });
    await keep(parcel.id, { ahead });
    return ahead;
  } catch (error) {
    const { ahead } = await kept(parcel.id);
    const isOfNow = ahead?.legIndex === leg.legIndex && ahead.formation === leg.formation;
    if (error instanceof TransactionRefusedError) throw error;
    if (ahead === undefined || !isOfNow) throw new Error(t(UNREAD), { cause: error });
    return ahead;
  }
}

const UNREAD = m('this phone is offline and has not yet read what it would sign. Connect it for a moment');

/** What was signed here before of the handoff as it would be now; undefined: nothing. */
export async function signedBefore({ id }: Parcel, ahead: HandoffAhead): Promise<string | undefined> {
  const { code } = await kept(id);
  const signed = code === undefined ? undefined : await readHandoffCode(code);
  return signed?.handoff.formation === ahead.formation ? code : undefined;
}

/**
 * Signs that it arrived, and puts the text, with what is noted before it, where it waits to be sent: the courier's phone finds it at the
 * service, or scans it here.
 */
export async function signArrival(
  parcel: Parcel,
  receiver: KeyPairSigner,
  { ahead, note }: { readonly ahead: HandoffAhead; readonly note: string | undefined },
): Promise<string> {
  const noted = note === undefined ? undefined : await sha256(note);
  const code = handoffCode(await signHandoff(receiver, ahead, { noted }));
  const legId = lastLeg(parcel)?.id ?? '';
  const texts = note === undefined ? [code] : [note, code];
  await keep(parcel.id, { code, waiting: texts.map((text) => ({ legId, text })), untaken: undefined });
  return code;
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

/** How far it is with what was signed: how much waits, and what the service refused. */
export interface Sending {
  readonly waiting: number;
  readonly untaken: Untaken | undefined;
}

/** Sends what waits, in order; what is refused keeps nothing behind it from being sent. @throws never */
export async function sendWaiting(id: string, receiver: KeyPairSigner): Promise<Sending> {
  for (;;) {
    const { waiting = [], untaken } = await kept(id);
    const [next] = waiting;
    if (next === undefined) return { waiting: 0, untaken };
    try {
      await putEvidence(toRequestSigner(receiver), next);
      await keep(id, { waiting: await without(id, next) });
    } catch (error) {
      if (error instanceof AwayError) return { waiting: waiting.length, untaken };
      const isNoteBefore = untaken !== undefined && !isHandoffCode(untaken.text);
      const why = error instanceof LegworkApiError ? error.detail : String(error);
      const now = isNoteBefore ? untaken : { ...next, why };
      await keep(id, { waiting: await without(id, next), untaken: now });
    }
  }
}

/** What waits but for this: more may have been signed meanwhile. */
async function without(id: string, { text }: Note): Promise<readonly Note[]> {
  const { waiting = [] } = await kept(id);
  return waiting.filter((one) => one.text !== text);
}

/** The note that the service does not have, if there is one. */
export const untakenNote = ({ untaken }: Sending): Untaken | undefined =>
  untaken && !isHandoffCode(untaken.text) ? untaken : undefined;
