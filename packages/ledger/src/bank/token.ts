import { floatJson, type RawJson } from '../json.js';
import { fromBase58 } from './keys.js';

/** An amount of tokens as Solana's JSON-RPC shows it. */
export type UiTokenAmount = {
  /** In the mint's smallest unit. */
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: RawJson | null;
  readonly uiAmountString: string;
};

/** The largest number of decimals whose power of ten fits into 64 bits. */
const MAX_FLOAT_DECIMALS = 19;

/** Shows an amount in whole tokens, without interest or multiplier. */
export function plainTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  return {
    amount: String(amount),
    decimals,
    uiAmount: decimals > MAX_FLOAT_DECIMALS ? null : floatJson(Number(amount) / Number(10n ** BigInt(decimals))),
    uiAmountString: trimDecimals(withPoint(amount, decimals), decimals),
  };
}

/** Writes an integer with its last `decimals` digits behind a point. */
function withPoint(value: bigint, decimals: number): string {
  const digits = String(value).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Leaves out zeros at the end, and a point that nothing follows. */
export function trimDecimals(text: string, decimals: number): string {
  return decimals === 0 ? text : text.replace(/0+$/, '').replace(/\.$/, '');
}

export const TOKEN_PROGRAM = fromBase58('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const TOKEN_2022_PROGRAM = fromBase58('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');

/** The mint of wrapped SOL, which every cluster has. */
export const NATIVE_MINT = fromBase58('So11111111111111111111111111111111111111112');
export const NATIVE_DECIMALS = 9;

/** Reports whether an address is one of the two token programs. Cheap: it is asked of every account that changes. */
export function isTokenProgram(address: Uint8Array): boolean {
  // Both begin with this byte.
  if (address[0] !== 6) return false;
  return Buffer.compare(address, TOKEN_PROGRAM) === 0 || Buffer.compare(address, TOKEN_2022_PROGRAM) === 0;
}

/** A token account. Amounts are in the mint's smallest unit. */
type TokenAccount = {
  readonly mint: Uint8Array;
  readonly owner: Uint8Array;
  readonly amount: bigint;
  readonly delegate: Uint8Array | undefined;
  readonly state: 'initialized' | 'frozen';
  /** Of wrapped SOL: the lamports that are rent and not tokens. */
  readonly rentExemptReserve: bigint | undefined;
  readonly delegatedAmount: bigint;
  readonly closeAuthority: Uint8Array | undefined;
  readonly extensions: Uint8Array;
};

/** A token: its authorities, its supply in the smallest unit, and how many decimals that has. */
export type Mint = {
  readonly mintAuthority: Uint8Array | undefined;
  readonly supply: bigint;
  readonly decimals: number;
  readonly freezeAuthority: Uint8Array | undefined;
  readonly extensions: Uint8Array;
};

const MINT_BYTES = 82;
export const TOKEN_ACCOUNT_BYTES = 165;
export const MULTISIG_BYTES = 355;

/** The byte behind the base of an account with extensions. */
const TYPE = { mint: 1, account: 2 } as const;

const STATE_OFFSET = 108;
const NOTHING = new Uint8Array();

/** Reports whether data looks like an initialized token account, so that indexes and lists take it for one. */
export function looksLikeTokenAccount(data: Uint8Array): boolean {
  if (data.length < TOKEN_ACCOUNT_BYTES || data.length === MULTISIG_BYTES || data[STATE_OFFSET] === 0) return false;
  return data.length === TOKEN_ACCOUNT_BYTES || data[TOKEN_ACCOUNT_BYTES] === TYPE.account;
}

/** Reads an initialized token account of either program; undefined when the data is anything else. */
export function unpackTokenAccount(data: Uint8Array): TokenAccount | undefined {
  const extensions = extensionsOf(data, TOKEN_ACCOUNT_BYTES, TYPE.account);
  const state = ([undefined, 'initialized', 'frozen'] as const)[data[STATE_OFFSET] ?? 0];
  if (extensions === undefined || state === undefined) return undefined;
  const options = [72, 109, 129].map((offset) => readOption(data, offset));
  const [delegate, native, closer] = options;
  if (delegate === undefined || native === undefined || closer === undefined) return undefined;
  return {
    mint: data.subarray(0, 32),
    owner: data.subarray(32, 64),
    amount: u64(data, 64),
    delegate: delegate ? data.subarray(76, 108) : undefined,
    state,
    rentExemptReserve: native ? u64(data, 113) : undefined,
    delegatedAmount: u64(data, 121),
    closeAuthority: closer ? data.subarray(133, 165) : undefined,
    extensions,
  };
}

/** Reads an initialized mint of either program; undefined when the data is anything else. */
export function unpackMint(data: Uint8Array): Mint | undefined {
  const extensions = extensionsOf(data, MINT_BYTES, TYPE.mint);
  if (extensions === undefined || data[45] !== 1) return undefined;
  const minter = readOption(data, 0);
  const freezer = readOption(data, 46);
  if (minter === undefined || freezer === undefined) return undefined;
  return {
    mintAuthority: minter ? data.subarray(4, 36) : undefined,
    supply: u64(data, 36),
    decimals: data[44] ?? 0,
    freezeAuthority: freezer ? data.subarray(50, 82) : undefined,
    extensions,
  };
}

/** The extensions behind a base; undefined when the data cannot be such an account. */
function extensionsOf(data: Uint8Array, base: number, type: number): Uint8Array | undefined {
  if (data.length < base || data.length === MULTISIG_BYTES) return undefined;
  if (data.length === base) return NOTHING;
  // Extensions of mints, too, begin where a token account's do; the room before is zero.
  if (data[TOKEN_ACCOUNT_BYTES] !== type || data.subarray(base, TOKEN_ACCOUNT_BYTES).some((byte) => byte !== 0))
    return undefined;
  return data.subarray(TOKEN_ACCOUNT_BYTES + 1);
}

/** The four bytes that say whether a value follows; undefined when they say neither. */
function readOption(data: Uint8Array, offset: number): boolean | undefined {
  const tag = viewOf(data).getUint32(offset, true);
  return tag > 1 ? undefined : tag === 1;
}

function u64(data: Uint8Array, offset: number): bigint {
  return viewOf(data).getBigUint64(offset, true);
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

type Extension = { readonly type: number; readonly data: Uint8Array };

/**
 * The extensions of a mint or token account, in order.
 *
 * @returns undefined when they are malformed
 */
export function listExtensions(bytes: Uint8Array): Extension[] | undefined {
  const found: Extension[] = [];
  let start = 0;
  // A single byte at the end is room that a later extension may use.
  while (start + 2 <= bytes.length) {
    const type = (bytes[start] ?? 0) | ((bytes[start + 1] ?? 0) << 8);
    if (type === 0) break;
    if (start + 4 > bytes.length) return undefined;
    const length = (bytes[start + 2] ?? 0) | ((bytes[start + 3] ?? 0) << 8);
    const end = start + 4 + length;
    if (end > bytes.length) return undefined;
    found.push({ type, data: bytes.subarray(start + 4, end) });
    start = end;
  }
  return found;
}
