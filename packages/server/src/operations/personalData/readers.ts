import type { PrivatePartName, PrivateReader } from '@legwork/protocol/contract';
import type { LegRow, PackageRow, SwarmRow } from '../../db/schema.js';

type Leg = Pick<LegRow, 'agent_pubkey' | 'stage' | 'status'>;

/** What of a package decides who reads its private parts. */
interface Readable {
  parcel: Pick<PackageRow, 'status' | 'shipper_pubkey' | 'terms'>;
  /** The swarm that the ledger has shown as formed; undefined: none. */
  swarm: { status: SwarmRow['status']; legs: readonly Leg[] } | undefined;
}

/** The parts that a key may read now, and as whom. Rule S-142. */
export function readableParts(pubkey: string, { parcel, swarm }: Readable): Map<PrivatePartName, PrivateReader> {
  const readers: (readonly [PrivateReader, string | null | undefined, ...PrivatePartName[]])[] = [
    ['shipper', parcel.shipper_pubkey, 'pickup', 'dropoff'],
    ['receiver', parcel.terms?.receiverPubkey, 'pickup', 'dropoff'],
  ];
  if (parcel.status === 'in_transit' && swarm?.status === 'active') {
    const { legs } = swarm;
    readers.push(['courier', fetcher(parcel, legs), 'pickup'], ['courier', bringer(parcel, legs), 'dropoff']);
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

/** The courier of the first leg, once it has accepted; without terms, forming the swarm accepts. */
function fetcher({ terms }: Readable['parcel'], [leg]: readonly Leg[]): string | undefined {
  const isAccepted = terms === null || (leg !== undefined && leg.stage !== 'pending' && leg.stage !== 'vacant');
  return isAccepted ? leg?.agent_pubkey : undefined;
}

/** The courier of the last leg, once it carries the parcel; without terms, once all legs before are confirmed: nothing else shows it. */
function bringer({ terms }: Readable['parcel'], legs: readonly Leg[]): string | undefined {
  const leg = legs.at(-1);
  const carries =
    terms === null
      ? legs.slice(0, -1).every(({ status }) => status === 'completed')
      : leg !== undefined && !BEFORE_CARRIED.has(leg.stage);
  return carries ? leg?.agent_pubkey : undefined;
}

const BEFORE_CARRIED: ReadonlySet<LegRow['stage']> = new Set([null, 'pending', 'accepted', 'vacant']);
