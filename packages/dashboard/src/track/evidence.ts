import { isPassedOn, toRequestSigner } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import { shownOf, type Shown } from '../door/note.js';
import { listEvidence, type Parcel } from './service.js';
import { t } from '../language.js';

/** What somebody said or showed of a leg. */
export interface Piece extends Shown {
  readonly by: string;
  readonly at: string;
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

function whoIs(pubkey: string, { shipperPubkey, terms, swarm }: Parcel): string {
  if (pubkey === terms?.receiverPubkey) return t('You');
  if (pubkey === shipperPubkey) return t('The shipper');
  const leg = swarm?.legs.find(({ agentPubkey }) => agentPubkey === pubkey);
  return leg ? t('Courier {number}', { number: leg.legIndex + 1 }) : t('An earlier courier');
}
