import { toBase58 } from '../../../bank/keys.js';
import { MULTISIG_BYTES, unpackMint, unpackTokenAccount } from '../../../bank/token.js';
import { DataReader } from './dataReader.js';
import type { MintScales } from './mintScale.js';
import type { Parsed } from './dataReader.js';
import { parseExtensions } from './tokenExtensions.js';

/** A token account, mint or multisig of either token program. A token account needs its mint. */
export function parseToken(data: Uint8Array, scales: MintScales): Parsed | undefined {
  return parseTokenAccount(data, scales) ?? parseMint(data) ?? parseMultisig(data);
}

function parseTokenAccount(data: Uint8Array, scales: MintScales): Parsed | undefined {
  const token = unpackTokenAccount(data);
  const scale = token === undefined ? undefined : scales(token.mint);
  if (token === undefined || scale === undefined) return undefined;
  const { delegate, rentExemptReserve, closeAuthority } = token;
  return {
    type: 'account',
    info: {
      closeAuthority: keyText(closeAuthority),
      delegate: keyText(delegate),
      delegatedAmount: delegate === undefined ? undefined : scale(token.delegatedAmount),
      ...parseExtensions(token.extensions, 'account'),
      isNative: rentExemptReserve !== undefined,
      mint: toBase58(token.mint),
      owner: toBase58(token.owner),
      rentExemptReserve: rentExemptReserve === undefined ? undefined : scale(rentExemptReserve),
      state: token.state,
      tokenAmount: scale(token.amount),
    },
  };
}

function parseMint(data: Uint8Array): Parsed | undefined {
  const mint = unpackMint(data);
  if (mint === undefined) return undefined;
  return {
    type: 'mint',
    info: {
      decimals: mint.decimals,
      ...parseExtensions(mint.extensions, 'mint'),
      freezeAuthority: keyText(mint.freezeAuthority) ?? null,
      isInitialized: true,
      mintAuthority: keyText(mint.mintAuthority) ?? null,
      supply: String(mint.supply),
    },
  };
}

const MAX_SIGNERS = 11;
const NOBODY = '1'.repeat(32);

function parseMultisig(data: Uint8Array): Parsed | undefined {
  if (data.length !== MULTISIG_BYTES) return undefined;
  const reader = new DataReader(data);
  const numRequiredSigners = reader.u8();
  const numValidSigners = reader.u8();
  if (!reader.bool()) return undefined;
  const signers = Array.from({ length: MAX_SIGNERS }, () => reader.key()).filter((signer) => signer !== NOBODY);
  return { type: 'multisig', info: { isInitialized: true, numRequiredSigners, numValidSigners, signers } };
}

function keyText(key: Uint8Array | undefined): string | undefined {
  return key === undefined ? undefined : toBase58(key);
}
