// Instructions by hand, so that the scene needs no client library but kit.
import { AccountRole, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';

export const PROGRAMS = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  lookupTable: 'AddressLookupTab1e1111111111111111111111111',
  computeBudget: 'ComputeBudget111111111111111111111111111111',
  stake: 'Stake11111111111111111111111111111111111111',
  vote: 'Vote111111111111111111111111111111111111111',
  config: 'Config1111111111111111111111111111111111111',
  loader: 'BPFLoaderUpgradeab1e11111111111111111111111',
  nativeMint: 'So11111111111111111111111111111111111111112',
};

const SYSVARS = {
  recentBlockhashes: 'SysvarRecentB1ockHashes11111111111111111111',
  rent: 'SysvarRent111111111111111111111111111111111',
};

const { READONLY: r, WRITABLE: w, READONLY_SIGNER: rs, WRITABLE_SIGNER: ws } = AccountRole;

const u8 = (value) => Buffer.from([value]);
const u16 = (value) => little(BigInt(value), 2);
const u32 = (value) => little(BigInt(value), 4);
const u64 = (value) => little(BigInt(value), 8);
export const key = (address) => Buffer.from(getAddressEncoder().encode(address));

function little(value, bytes) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(value);
  return buffer.subarray(0, bytes);
}

/** An instruction of `program`, with pairs of address and role. */
function instruction(programAddress, accounts, ...data) {
  return {
    programAddress,
    accounts: accounts.map(([address, role]) => ({ address, role })),
    data: new Uint8Array(Buffer.concat(data)),
  };
}

const system = (accounts, ...data) => instruction(PROGRAMS.system, accounts, ...data);

export const createAccount = (payer, created, lamports, space, owner) =>
  system(
    [
      [payer, ws],
      [created, ws],
    ],
    u32(0),
    u64(lamports),
    u64(space),
    key(owner),
  );

export const transfer = (source, destination, lamports) =>
  system(
    [
      [source, ws],
      [destination, w],
    ],
    u32(2),
    u64(lamports),
  );

export const createWithSeed = (payer, created, seed, lamports, space, owner) =>
  system(
    [
      [payer, ws],
      [created, w],
    ],
    u32(3),
    key(payer),
    u64(seed.length),
    Buffer.from(seed),
    u64(lamports),
    u64(space),
    key(owner),
  );

export const advanceNonce = (nonce, authority) =>
  system(
    [
      [nonce, w],
      [SYSVARS.recentBlockhashes, r],
      [authority, rs],
    ],
    u32(4),
  );

export const initializeNonce = (nonce, authority) =>
  system(
    [
      [nonce, w],
      [SYSVARS.recentBlockhashes, r],
      [SYSVARS.rent, r],
    ],
    u32(6),
    key(authority),
  );

export const computePrice = (microLamports) => instruction(PROGRAMS.computeBudget, [], u8(3), u64(microLamports));
export const computeLimit = (units) => instruction(PROGRAMS.computeBudget, [], u8(2), u32(units));

export const memo = (text, signer) =>
  instruction(PROGRAMS.memo, signer === undefined ? [] : [[signer, rs]], Buffer.from(text));

/** The instructions of the token program at this address: Token, or Token-2022. */
export const tokenProgram = (program) => ({
  initializeMint: (mint, decimals, authority, freeze) =>
    instruction(program, [[mint, w]], u8(20), u8(decimals), key(authority), u8(1), key(freeze)),
  mintTo: (mint, account, authority, amount) =>
    instruction(
      program,
      [
        [mint, w],
        [account, w],
        [authority, rs],
      ],
      u8(7),
      u64(amount),
    ),
  transfer: (source, destination, owner, amount) =>
    instruction(
      program,
      [
        [source, w],
        [destination, w],
        [owner, rs],
      ],
      u8(3),
      u64(amount),
    ),
  transferChecked: (source, mint, destination, owner, amount, decimals) =>
    instruction(
      program,
      [
        [source, w],
        [mint, r],
        [destination, w],
        [owner, rs],
      ],
      u8(12),
      u64(amount),
      u8(decimals),
    ),
  approve: (source, delegate, owner, amount) =>
    instruction(
      program,
      [
        [source, w],
        [delegate, r],
        [owner, rs],
      ],
      u8(4),
      u64(amount),
    ),
  burn: (account, mint, owner, amount) =>
    instruction(
      program,
      [
        [account, w],
        [mint, w],
        [owner, rs],
      ],
      u8(8),
      u64(amount),
    ),
  close: (account, destination, owner) =>
    instruction(
      program,
      [
        [account, w],
        [destination, w],
        [owner, rs],
      ],
      u8(9),
    ),
  freeze: (account, mint, authority) =>
    instruction(
      program,
      [
        [account, w],
        [mint, r],
        [authority, rs],
      ],
      u8(10),
    ),
  syncNative: (account) => instruction(program, [[account, w]], u8(17)),
});

/** Of Token-2022, before initializeMint. A mint with all three has MINT_WITH_EXTENSIONS bytes. */
export const initializeCloseAuthority = (mint, authority) =>
  instruction(PROGRAMS.token2022, [[mint, w]], u8(25), u8(1), key(authority));
export const initializeTransferFee = (mint, authority, basisPoints, maximum) =>
  instruction(
    PROGRAMS.token2022,
    [[mint, w]],
    u8(26),
    u8(0),
    u8(1),
    key(authority),
    u8(1),
    key(authority),
    u16(basisPoints),
    u64(maximum),
  );
export const initializeMetadataPointer = (mint, authority, metadata) =>
  instruction(PROGRAMS.token2022, [[mint, w]], u8(39), u8(0), key(authority), key(metadata));
export const MINT_WITH_EXTENSIONS = 382;

export const createAssociated = (payer, account, owner, mint, program) =>
  instruction(
    PROGRAMS.associatedToken,
    [
      [payer, ws],
      [account, w],
      [owner, r],
      [mint, r],
      [PROGRAMS.system, r],
      [program, r],
    ],
    u8(1),
  );

export const associatedAddress = async (owner, mint, program) =>
  derive(PROGRAMS.associatedToken, [key(owner), key(program), key(mint)]);

export const createLookupTable = (table, bump, authority, slot) =>
  instruction(
    PROGRAMS.lookupTable,
    [
      [table, w],
      [authority, rs],
      [authority, ws],
      [PROGRAMS.system, r],
    ],
    u32(0),
    u64(slot),
    u8(bump),
  );
export const extendLookupTable = (table, authority, addresses) =>
  instruction(
    PROGRAMS.lookupTable,
    [
      [table, w],
      [authority, rs],
      [authority, ws],
      [PROGRAMS.system, r],
    ],
    u32(2),
    u64(addresses.length),
    ...addresses.map(key),
  );
export const lookupTableAddress = async (authority, slot) =>
  getProgramDerivedAddress({ programAddress: PROGRAMS.lookupTable, seeds: [key(authority), u64(slot)] });

export const initializeStake = (stake, authority) =>
  instruction(
    PROGRAMS.stake,
    [
      [stake, w],
      [SYSVARS.rent, r],
    ],
    u32(0),
    key(authority),
    key(authority),
    u64(0),
    u64(0),
    key(PROGRAMS.system),
  );

async function derive(programAddress, seeds) {
  const [address] = await getProgramDerivedAddress({ programAddress, seeds });
  return address;
}
