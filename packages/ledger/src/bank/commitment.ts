/** How settled a state must be: `processed` and `confirmed` are the same here, `finalized` comes 32 slots later. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Slots between a transaction's slot and the slot at which it is final. */
export const FINALITY_SLOTS = 32n;

/** A transaction may name any blockhash of this many latest blocks. */
export const BLOCKHASH_AGE = 150n;
