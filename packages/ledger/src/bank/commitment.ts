/** `processed` and `confirmed` are the same here; `finalized` comes 32 slots later. Rule L-8. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Slots between a transaction's slot and the slot at which it is final. */
export const FINALITY_SLOTS = 32n;

/** How many of the latest blockhashes a transaction may name. */
export const BLOCKHASH_AGE = 150n;

export const USUAL_SLOTS_PER_EPOCH = 432_000;
