import type { PrivatePartName, PrivateReader } from '@legwork/protocol/contract';
import type { LegRow, PackageRow, SwarmRow } from '../../db/schema.js';

/** What of a package decides who reads its private parts. */
interface Readable {
  parcel: Pick<PackageRow, 'status' | 'shipper_pubkey' | 'terms'>;
  /** The swarm that the ledger has shown as formed; undefined: none. */
  swarm: { status: SwarmRow['status']; legs: readonly Pick<LegRow, 'agent_pubkey' | 'stage'>[] } | undefined;
}

/** The parts that a key may read now, and as whom. Rule S-142. */
export function readableParts(pubkey: string, { parcel, swarm }: Readable): Map<PrivatePartName, PrivateReader> {
  const readers: (readonly [PrivateReader, string | null | undefined, ...PrivatePartName[]])[] = [
    ['shipper', parcel.shipper_pubkey, 'pickup', 'dropoff'],
    ['receiver', parcel.terms?.receiverPubkey, 'pickup', 'dropoff'],
  ];
  if (parcel.status === 'in_transit' && swarm?.status === 'active') {
    const { legs } = swarm;
    readers.push(
      ['courier', acceptedBy(parcel, legs[0]), 'pickup'],
      ['courier', acceptedBy(parcel, legs.at(-1)), 'dropoff'],
    );
    const isDisputed = legs.some(({ stage }) => stage === 'disputed');
    if (isDisputed) readers.push(['arbiter', parcel.terms?.arbiterPubkey, 'pickup', 'dropoff']);
  }
  const readable = new Map<PrivatePartName, PrivateReader>();
  for (const [reader, key, ...parts] of readers) {
    if (key !== pubkey) continue;
    for (const part of parts) if (!readable.has(part)) readable.set(part, reader);
  }
  return readable;
}

/** The courier of a leg, once it has accepted; without terms, forming the swarm accepts. */
function acceptedBy(
  { terms }: Readable['parcel'],
  leg: Pick<LegRow, 'agent_pubkey' | 'stage'> | undefined,
): string | undefined {
  const isAccepted = terms === null || (leg !== undefined && leg.stage !== 'pending' && leg.stage !== 'vacant');
  return isAccepted ? leg?.agent_pubkey : undefined;
}
