// What packages and digital tasks of bench/audit.mjs have in common: who takes part, what is signed for, columns, events.
import { reputationAddress } from '@legwork/program-client';
import { createUuid, uuidToBytes } from '@legwork/protocol/contract';

/** Lamports; what is left of it after all payments goes back. */
export const BUDGET = 5_000_000n;
/** As many agents as a digital task may have legs; nobody has two of them. */
const MOST_LEGS = 4;

export const now = () => new Date().toISOString();
export const hexBytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));

/**
 * What one listing is made of. `scene`: programAddress, config, coordinator, shippers and agents (all signers), deadline in unix
 * seconds.
 */
export async function termsOf(scene, number, legs) {
  const { programAddress, shippers, agents, deadline } = scene;
  const id = createUuid();
  const workers = Array.from({ length: legs }, (_, index) => agents[(number * MOST_LEGS + index) % agents.length]);
  const reputations = await Promise.all(workers.map(({ address }) => reputationAddress(programAddress, address)));
  const shipper = shippers[number % shippers.length];
  return { id, idBytes: uuidToBytes(id), shipper, workers, reputations, deadline, number };
}

/** Columns of either table. */
export function sharedColumns({ id, shipper, deadline }, { vault, termsHash, listed, settled, refund }) {
  return {
    id,
    shipper_pubkey: shipper.address,
    funder_pubkey: shipper.address,
    max_budget_lamports: String(BUDGET),
    deadline: wireInstant(deadline),
    terms_hash: termsHash,
    on_chain_vault: vault,
    list_signature: listed,
    listed_at: now(),
    settle_signature: settled,
    refund_lamports: settled && String(refund),
  };
}

/** What either event of a listing says. */
export function listedFacts({ shipper, deadline }) {
  return { shipperPubkey: shipper.address, maxBudgetLamports: Number(BUDGET), deadline: wireInstant(deadline) };
}

export function event(subject, type, payload) {
  return { type, subject, payload, occurred_at: now() };
}

const wireInstant = (seconds) => new Date(seconds * 1000).toISOString();
