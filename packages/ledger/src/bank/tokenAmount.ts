import { floatJson, type RawJson } from '../json.js';

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
export function withPoint(value: bigint, decimals: number): string {
  const digits = String(value).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Leaves out zeros at the end, and a point that nothing follows. */
export function trimDecimals(text: string, decimals: number): string {
  return decimals === 0 ? text : text.replace(/0+$/, '').replace(/\.$/, '');
}
