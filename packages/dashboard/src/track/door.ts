import {
  handoffAhead,
  handoffCode,
  readHandoffCode,
  receiverOfWords,
  signHandoff,
  toRequestSigner,
  TransactionRefusedError,
} from '@legwork/sdk';
import type { HandoffAhead } from '@legwork/program-client';
import { address, createSolanaRpc, type KeyPairSigner } from '@solana/kit';
import { get, update } from 'idb-keyval';
import { storeOf } from '../door/store.js';
import { AwayError, type Parcel, type ParcelLeg, putEvidence, readConfig, readParcel, termsOf } from './service.js';

/** What this phone keeps of one delivery: enough for a door without a network. The words of its link are not kept. */
interface Kept {
  readonly parcel?: Parcel;
  readonly ahead?: HandoffAhead;
  /** What was signed, with the words that were noted. */
  readonly code?: string;
  /** Texts that are to be sent, in order. */
  readonly waiting?: readonly { readonly legId: string; readonly text: string }[];
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
  if (leg === undefined) throw new TransactionRefusedError('nobody carries it yet');
  try {
    const { rpcUrl, programId } = await readConfig();
    const said = { packageId: parcel.id, shipperPubkey: parcel.shipperPubkey, terms: termsOf(parcel) };
    const where = { programId: address(programId), said };
    const ahead = await handoffAhead(createSolanaRpc(rpcUrl), where, receiver, { legIndex: leg.legIndex });
    await keep(parcel.id, { ahead });
    return ahead;
  } catch (error) {
    const { ahead } = await kept(parcel.id);
    const isOfNow = ahead?.legIndex === leg.legIndex && ahead.formation === leg.formation;
    if (error instanceof TransactionRefusedError) throw error;
    if (ahead === undefined || !isOfNow) throw new Error(UNREAD, { cause: error });
    return ahead;
  }
}

const UNREAD = 'this phone has no network, and has not read yet what it would sign. Let it have one for a moment';

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
  await keep(parcel.id, { code, waiting: texts.map((text) => ({ legId, text })) });
  return code;
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

/** Sends what waits. @returns how much still waits @throws Error what the service refused: that waits no more */
export async function sendWaiting(id: string, receiver: KeyPairSigner): Promise<number> {
  for (;;) {
    const { waiting: [next, ...others] = [] } = await kept(id);
    if (next === undefined) return 0;
    try {
      await putEvidence(toRequestSigner(receiver), next);
    } catch (error) {
      if (error instanceof AwayError) return others.length + 1;
      await keep(id, { waiting: others });
      throw error;
    }
    await keep(id, { waiting: others });
  }
}
