// The parts that packages and digital tasks of a made ledger have in common: their parties, and the terms signed for.
import { reputationAddress } from '@legwork/program-client';
import { createUuid, uuidToBytes } from '@legwork/protocol/contract';

/** Lamports; what is left of it after all payments goes back. */
export const BUDGET = 5_000_000n;
/** As many agents as a digital task may have legs; nobody has two of them. */
const MOST_LEGS = 4;

export const hexBytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));

/**
 * The terms of one listing. `scene`: programAddress, config, coordinator,
 * shippers and agents (all signers), deadline in unix seconds.
 */
export async function termsOf(scene, number, legs) {
  const { programAddress, shippers, agents, deadline } = scene;
  const id = createUuid();
  const workers = Array.from({ length: legs }, (_, index) => agents[(number * MOST_LEGS + index) % agents.length]);
  const reputations = await Promise.all(workers.map(({ address }) => reputationAddress(programAddress, address)));
  const shipper = shippers[number % shippers.length];
  return { id, idBytes: uuidToBytes(id), shipper, workers, reputations, deadline, number };
}
