import { isPassedOn, toRequestSigner } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import { partsOf } from '../door/note.js';
import { headOf } from '../door/pictureHead.js';
import { listEvidence, type Parcel } from './service.js';

/** Decoded, these are 80 MB: what couriers send was made by whom nobody knows. */
const MOST_PIXELS = 20_000_000;

/** What somebody said or showed of a leg. */
export interface Piece {
  readonly by: string;
  readonly at: string;
  readonly words: string;
  readonly photos: readonly string[];
  /** Pictures that are too large, or none that a browser reads. */
  readonly unshown: number;
}

/** What the parties of the legs noted and photographed, the first leg first, as far as the receiver may read it. Rule T-64. */
export async function readPieces(
  parcel: Parcel,
  receiver: KeyPairSigner,
): Promise<readonly { readonly legIndex: number; readonly pieces: readonly Piece[] }[]> {
  const signer = toRequestSigner(receiver);
  const read: { legIndex: number; pieces: Piece[] }[] = [];
  // One after the other: a bad network brings one whole leg rather than parts of all.
  for (const { id, legIndex, stage } of parcel.swarm?.legs ?? []) {
    if (!stage) continue;
    const items = await listEvidence(signer, id);
    const pieces = items
      .filter(({ text }) => !isPassedOn(text))
      .map(({ authorPubkey, createdAt, text }) => ({
        by: whoIs(authorPubkey, parcel),
        at: createdAt,
        ...shownOf(text),
      }));
    if (pieces.length > 0) read.push({ legIndex, pieces });
  }
  return read;
}

function shownOf(text: string): Pick<Piece, 'words' | 'photos' | 'unshown'> {
  const { words, photos } = partsOf(text);
  const shown = photos.filter((photo) => pixelsOf(photo) <= MOST_PIXELS);
  return { words, photos: shown, unshown: photos.length - shown.length };
}

/** What a data URL has to be decoded to; infinity: it is no picture. */
function pixelsOf(photo: string): number {
  try {
    const bytes = Uint8Array.from(atob(photo.slice(photo.indexOf(',') + 1)), (one) => one.charCodeAt(0));
    return headOf(new DataView(bytes.buffer))?.pixels || Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function whoIs(pubkey: string, { shipperPubkey, terms, swarm }: Parcel): string {
  if (pubkey === terms?.receiverPubkey) return 'You';
  if (pubkey === shipperPubkey) return 'The shipper';
  const leg = swarm?.legs.find(({ agentPubkey }) => agentPubkey === pubkey);
  return leg ? `Courier ${leg.legIndex + 1}` : 'An earlier courier';
}
