import type { Account } from '../../../bank/account.js';
import type { Bank } from '../../../bank/bank.js';
import type { Commitment } from '../../../bank/commitment.js';
import { keyOf, type Key } from '../../../bank/keys.js';
import {
  NATIVE_DECIMALS,
  NATIVE_MINT,
  unpackMint,
  type Mint,
  plainTokenAmount,
  trimDecimals,
  type UiTokenAmount,
} from '../../../bank/token.js';
import { floatJson } from '../../../json.js';
import { DataReader } from './dataReader.js';
import { exp, fixedPoint } from './floats.js';
import { findExtension } from './tokenExtensions.js';

/** Shows an amount of one mint's tokens, with the interest or multiplier that holds at some moment. */
export type MintScale = (amount: bigint) => UiTokenAmount;

/** How to show amounts of a mint; undefined when there is no such mint. */
export type MintScales = (mint: Uint8Array) => MintScale | undefined;

/** The mints of one moment, each read once. `unixTime` is in seconds. */
export function mintScales(read: (address: Uint8Array) => Account | undefined, unixTime: number): MintScales {
  const known = new Map<Key, MintScale | undefined>([[keyOf(NATIVE_MINT), NATIVE_SCALE]]);
  return (address) => {
    const key = keyOf(address);
    if (known.has(key)) return known.get(key);
    const account = read(address);
    const mint = account === undefined ? undefined : unpackMint(account.data);
    const scale = mint === undefined ? undefined : scaleOf(mint, unixTime);
    known.set(key, scale);
    return scale;
  };
}

/** The mints as they are at a commitment. */
export function mintScalesAt(bank: Bank, commitment: Commitment): MintScales {
  return mintScales((address) => bank.account(address, commitment), bank.blockTime(bank.slotAt(commitment)));
}

export const NATIVE_SCALE: MintScale = (amount) => plainTokenAmount(amount, NATIVE_DECIMALS);

export function scaleOf(mint: Mint, unixTime: number): MintScale {
  const { decimals } = mint;
  const interest = findExtension(mint.extensions, 'interestBearingConfig');
  if (interest !== undefined) return scaledBy(decimals, interestOf(interest, decimals, unixTime));
  const multiplier = findExtension(mint.extensions, 'scaledUiAmountConfig');
  if (multiplier !== undefined) return scaledBy(decimals, multiplierOf(multiplier, decimals, unixTime));
  return (amount) => plainTokenAmount(amount, decimals);
}

/** `toWhole` gives whole tokens; undefined when it cannot be computed. */
function scaledBy(decimals: number, toWhole: ((amount: number) => number) | undefined): MintScale {
  return (amount) => {
    const text = toWhole === undefined ? '' : trimDecimals(fixedPoint(toWhole(Number(amount)), decimals), decimals);
    const uiAmount = text === '' ? null : floatJson(Number(text));
    return { amount: String(amount), decimals, uiAmount, uiAmountString: text };
  };
}

const SECONDS_PER_YEAR = 31_556_736;
const BASIS_POINTS = 10_000;
const MAX_I64 = 2n ** 63n - 1n;
const MIN_I64 = -(2n ** 63n);

/** Continuous interest: at an average rate up to the latest change of the rate, at the current rate since. */
function interestOf(data: Uint8Array, decimals: number, unixTime: number): ((amount: number) => number) | undefined {
  const reader = new DataReader(data);
  reader.bytes(32); // its authority
  const begun = reader.i64();
  const averageRate = reader.i16();
  const updated = reader.i64();
  const rate = reader.i16();
  const spans = [updated - begun, BigInt(unixTime) - updated] as const;
  if (spans.some((span) => span > MAX_I64 || span < MIN_I64)) return undefined;
  const [before, since] = spans;
  const scale = (growth(averageRate, before) * growth(rate, since)) / powerOfTen(decimals);
  return (amount) => amount * scale;
}

function growth(rate: number, seconds: bigint): number {
  return exp(Number(BigInt(rate) * seconds) / SECONDS_PER_YEAR / BASIS_POINTS);
}

/** A multiplier, and the next one from its time on. */
function multiplierOf(data: Uint8Array, decimals: number, unixTime: number): (amount: number) => number {
  const reader = new DataReader(data);
  reader.bytes(32); // its authority
  const multiplier = reader.f64();
  const changes = reader.i64();
  const next = reader.f64();
  const current = BigInt(unixTime) >= changes ? next : multiplier;
  return (amount) => Math.trunc(amount * current) / powerOfTen(decimals);
}

/** By repeated squaring: from 10^23 on, the last bit depends on the way. */
function powerOfTen(exponent: number): number {
  let result = 1;
  let square = 10;
  for (let rest = exponent; rest > 0; rest >>= 1) {
    if ((rest & 1) === 1) result *= square;
    square *= square;
  }
  return result;
}
