/** The largest power of ten that a cluster computes with, in its 64-bit integers. */
const MAX_DECIMALS = 19;

/** An amount of tokens as a number of the smallest unit, and for people to read. */
export function uiTokenAmount(amount: bigint, decimals: number): object {
  return {
    amount: String(amount),
    decimals,
    uiAmount: decimals > MAX_DECIMALS ? null : Number(amount) / 10 ** decimals,
    uiAmountString: withDecimals(amount, decimals),
  };
}

/** A decimal number without trailing zeros. */
function withDecimals(amount: bigint, decimals: number): string {
  if (decimals === 0) return String(amount);
  const digits = String(amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
