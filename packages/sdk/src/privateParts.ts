import { createSalt } from '@legwork/protocol/contract';
import type { CallOf, operations } from '@legwork/protocol/contract';
import { privateHashes, publicPlace } from '@legwork/protocol/rules';
import type { PrivateHashes } from '@legwork/protocol/rules';
import type { ServiceConfig } from './serviceConfig.js';

type Call = CallOf<(typeof operations)['buildListTx']>;
type Part = NonNullable<NonNullable<Call['private']>['pickup']>;

/** The exact place of one end of a package, who is there, and how to reach them: for the courier who goes there. */
export type PrivatePartDraft = Omit<Part, 'salt'>;

/** What only the courier who goes there learns of a package's ends. */
export interface PrivateDraft {
  readonly pickup?: PrivatePartDraft | undefined;
  readonly dropoff?: PrivatePartDraft | undefined;
}

type Places = Pick<Call, 'originLat' | 'originLng' | 'destLat' | 'destLng'>;

/** What of a draft follows from its private parts. */
export interface PrivateCall {
  /** Rounded where the exact address is private, before anything leaves this machine. */
  readonly places: Places;
  /** With the salts of their hashes. */
  readonly parts: Call['private'];
  readonly hashes: PrivateHashes | null;
}

/** Rule S-140. @throws {RangeError} when there are private parts and the service keeps none */
export function privateCall(draft: Places & { readonly private?: PrivateDraft }, config: ServiceConfig): PrivateCall {
  const { originLat, originLng, destLat, destLng } = draft;
  const { pickup, dropoff } = draft.private ?? {};
  if ((pickup ?? dropoff) === undefined) {
    return { places: { originLat, originLng, destLat, destLng }, parts: undefined, hashes: null };
  }
  if (!config.privateParts) throw new RangeError('private: this service keeps no private parts; leave them out');
  const parts = { ...(pickup && { pickup: salted(pickup) }), ...(dropoff && { dropoff: salted(dropoff) }) };
  const [origin, destination] = [placeOf(originLat, originLng, pickup), placeOf(destLat, destLng, dropoff)];
  const places = { originLat: origin.lat, originLng: origin.lng, destLat: destination.lat, destLng: destination.lng };
  return { places, parts, hashes: privateHashes(parts) };
}

const salted = (part: PrivatePartDraft): Part => ({ ...part, salt: createSalt() });

const placeOf = (lat: number, lng: number, part: PrivatePartDraft | undefined) =>
  part === undefined ? { lat, lng } : publicPlace({ lat, lng });
