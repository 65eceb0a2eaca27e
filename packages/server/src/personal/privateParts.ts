import {
  type AnswerOf,
  type operations,
  type PrivateParts,
  privateParts,
  LegworkError,
  WHO_READS_PRIVATE,
  type PrivatePartName,
  type PrivateReader,
} from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import { whyNothingPrivate } from '@legwork/protocol/rules';
import {
  findPrivateParts,
  lockReader,
  noteCourierReading,
  noteReading,
  readingsOf,
  uncarriedReadings,
} from './privateRows.js';
import type { Trx } from '../db/connect.js';
import { packageSubject } from '../db/listings.js';
import { formedSwarm } from '../packages/swarmRows.js';
import { inTransaction } from '../db/transaction.js';
import type { KeyRing, Sealed } from '../db/keyRing.js';
import { requireNotHalted } from '../operations/guards.js';
import { PACKAGE, requirePackage } from '../listings/kinds.js';
import type { Caller, In, Out } from '../operations/run.js';
import type { LegRow, PackageRow, SwarmRow } from '../db/schema.js';

/** Encrypts the private parts of a package that is drafted. @throws LegworkError `invalid_input` where none are kept */
export function sealPrivateParts(
  { keyRing, clock }: Pick<AppContext, 'keyRing' | 'clock'>,
  packageId: string,
  parts: PrivateParts,
): Sealed {
  if (keyRing) return keyRing.seal(JSON.stringify(parts), packageSubject(packageId), clock());
  throw LegworkError.field(
    'invalid_input',
    'private',
    'is not kept by this service, which has no folder for the keys; leave it out, and tell the couriers yourself',
  );
}

type Shown = AnswerOf<typeof operations.getPrivateParts>;

/** The private parts for the key that signs; the reading is noted with it, or neither. Rules S-142, S-143. */
export async function getPrivateParts(
  context: AppContext,
  { packageId }: In<'getPrivateParts'>,
  { pubkey }: Caller,
): Out<'getPrivateParts'> {
  const { clock } = context;
  const answer = await inTransaction(context.db, async (trx) => {
    const parcel = await requirePackage(trx, packageId);
    const readable = readableParts(pubkey ?? '', { parcel, swarm: await formedSwarm(trx, packageId) });
    if (pubkey === undefined || readable.size === 0) throw notForKey(pubkey);
    await requireNotHalted(trx, PACKAGE, packageId, 'packageId');
    const sealed = await findPrivateParts(trx, packageId);
    const parts = sealed && opened(context.keyRing, packageId, sealed);
    const shown: Shown = { packageId, pickup: null, dropoff: null };
    for (const [part, readAs] of readable) {
      const found = parts?.[part];
      if (found === undefined) continue;
      shown[part] = found;
      if (readAs === 'courier') await requireCarrier(trx, pubkey, packageId, clock().getTime());
      await noteReading(trx, { packageId, part, readerPubkey: pubkey, readAs });
    }
    return shown;
  });
  return { answer };
}

/**
 * Notes that a courier reads of the package. What it has read, or carries, it may read whatever else it did.
 *
 * @throws LegworkError `agent_waits`, so that nothing is noted. Rule S-151
 */
async function requireCarrier(trx: Trx, courier: string, packageId: string, nowMs: number): Promise<void> {
  await lockReader(trx, courier);
  const noted = await noteCourierReading(trx, courier, packageId);
  if (noted === undefined) return;
  const uncarried = await uncarriedReadings(trx, courier);
  const own = uncarried.findIndex((at) => at.getTime() === noted.getTime());
  const why = own === -1 ? undefined : whyNothingPrivate(uncarried.toSpliced(own, 1), nowMs);
  if (why !== undefined)
    throw LegworkError.field('agent_waits', 'X-Pubkey', `${courier} reads nothing of it now: ${why}`);
}

function opened(keyRing: KeyRing | undefined, packageId: string, sealed: Sealed): PrivateParts {
  const text = keyRing?.open(sealed, packageSubject(packageId));
  if (text !== undefined) return privateParts.parse(JSON.parse(text));
  throw LegworkError.field(
    'invalid_status',
    'packageId',
    `names a package whose private parts were encrypted with the key ${sealed.key}, which this service does not have any more; ask the shipper`,
  );
}

function notForKey(pubkey: string | undefined): LegworkError {
  return LegworkError.field(
    'not_your_turn',
    'X-Pubkey',
    `${pubkey ?? 'nobody'} reads nothing of it now: ${WHO_READS_PRIVATE}`,
  );
}

/** The readings of the private parts of a package. */
export async function listPrivateReadings(
  { db }: AppContext,
  { packageId }: In<'listPrivateReadings'>,
  caller: Caller,
): Out<'listPrivateReadings'> {
  const { shipper_pubkey: shipper } = await requirePackage(db, packageId);
  if (caller.pubkey !== shipper) {
    throw LegworkError.field('not_your_turn', 'X-Pubkey', `only the shipper, ${shipper}, reads who read what`);
  }
  const rows = await readingsOf(db, packageId);
  return {
    answer: rows.map((row) => ({
      part: row.part,
      readerPubkey: row.reader_pubkey,
      readAs: row.read_as,
      times: row.times,
      firstAt: row.first_at,
      lastAt: row.last_at,
    })),
  };
}

type Leg = Pick<LegRow, 'agent_pubkey' | 'stage' | 'status'>;

/** The fields of a package that decide who reads its private parts. */
interface Readable {
  parcel: Pick<PackageRow, 'status' | 'shipper_pubkey' | 'terms'>;
  /** The swarm that the ledger has shown as formed; undefined: none. */
  swarm: { status: SwarmRow['status']; legs: readonly Leg[] } | undefined;
}

/** The parts that a key may read now, and as whom. */
function readableParts(pubkey: string, { parcel, swarm }: Readable): Map<PrivatePartName, PrivateReader> {
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
