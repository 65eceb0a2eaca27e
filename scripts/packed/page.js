// Everything that the SDK has, and what a page makes wallets and an RPC with.
export * from '@legwork/sdk';
export { createKeyPairSignerFromBytes, createSolanaRpc, generateKeyPairSigner } from '@legwork/sdk/kit';
