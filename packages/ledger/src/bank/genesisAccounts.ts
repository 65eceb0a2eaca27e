import { RENT_EXEMPT_EPOCH, type Account } from './account.js';
import { fromBase58 } from './keys.js';

export const NATIVE_LOADER = fromBase58('NativeLoader1111111111111111111111111111111');

const KNOWN: Readonly<Record<string, Partial<Account>>> = {
  // Wrapped SOL.
  So11111111111111111111111111111111111111112: { lamports: 1_000_000_000n, rentEpoch: 1n },
  SysvarStakeHistory1111111111111111111111111: { lamports: 114_979_200n, data: new Uint8Array(16_392) },
  SysvarEpochRewards1111111111111111111111111: { rentEpoch: RENT_EXEMPT_EPOCH },
  StakeConfig11111111111111111111111111111111: { lamports: 960_480n, data: Buffer.from('AAAAAAAAANA/DA==', 'base64') },
  ZkTokenProof1111111111111111111111111111111: {
    lamports: 1n,
    data: Buffer.from('zk_token_proof_program'),
    owner: NATIVE_LOADER,
    executable: true,
  },
  // The engine insists on the data of a sysvar of former times, and brings wrapped SOL of Token-2022; without lamports an account is none.
  SysvarFees111111111111111111111111111111111: { lamports: 0n },
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP': { lamports: 0n },
};

/**
 * What the genesis of Agave 4.2 makes, and the engine does not, or otherwise. It is no part of a folder, so earlier folders
 * get it as well.
 */
export const GENESIS_ACCOUNTS = Object.entries(KNOWN).map(([address, fields]) => ({
  address: fromBase58(address),
  fields,
}));
