/** Signers, addresses and an RPC: all of @solana/kit, so that an agent needs one dependency. */
export * from '@solana/kit';
