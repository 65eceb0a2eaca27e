import { createHash } from 'node:crypto';
import { getAddressDecoder, getAddressEncoder, isOffCurveAddress, type Address } from '@solana/kit';
import type { Relay } from './relay.js';

/** The address that these seeds give with a bump below the canonical one: off the curve too, so it could be signed for. */
export function secondAddress(relay: Relay, canonical: Address, seeds: readonly Uint8Array[]): Address {
  const program = getAddressEncoder().encode(relay.programAddress);
  for (let bump = 255; bump >= 0; bump -= 1) {
    const parts = [...seeds, Uint8Array.of(bump), program, Buffer.from('ProgramDerivedAddress')];
    const hash = parts.reduce((sum, part) => sum.update(Uint8Array.from(part)), createHash('sha256')).digest();
    const address = getAddressDecoder().decode(hash);
    if (isOffCurveAddress(address) && address !== canonical) return address;
  }
  throw new Error('every second bump gives an address');
}

export const bytesOf = (address: Address) => Uint8Array.from(getAddressEncoder().encode(address));
