/**
 * A whole number of lamports. The brand is that of @solana/kit, so what an RPC answers is of this type, and what is made here
 * goes where kit wants lamports. Amounts made here end at {@link MAX_LAMPORTS}, those of kit at 2^64 - 1.
 */
export type Lamports = bigint & { readonly '__brand:@solana/kit': 'Lamports' };

/** The asset that a listing is paid in, and its decimals: one is ten to that many base units. */
export interface Asset {
  /** `sol`, `usdc`, or the mint of a token. */
  readonly asset: string;
  readonly decimals: number;
}

/** Lamports in one SOL. */
export const LAMPORTS_PER_SOL = 1_000_000_000n;

const SOL_DECIMALS = 9;
export const SOL = { asset: 'sol', decimals: SOL_DECIMALS } as const satisfies Asset;
/** One part in so many of a lamport is noise of float arithmetic. */
const NOISE_PARTS = 1000n;
const MAX = 2n ** 53n - 1n;

/** An amount that is not money here. The message says what was wrong and what would be right. */
export class MoneyError extends Error {
  override readonly name = 'MoneyError';
}

/**
 * Checks that an integer is an amount and brands it. Rule M-1.
 *
 * @throws {MoneyError} when it is negative or above {@link MAX_LAMPORTS}
 */
export function toLamports(value: bigint): Lamports {
  if (value < 0n) {
    throw new MoneyError(`${value} lamports is negative; give an amount of at least 0 lamports`);
  }
  if (!isLamports(value)) {
    throw new MoneyError(`${value} lamports is too large; the largest amount is ${MAX} lamports`);
  }
  return value;
}

/** The largest amount that exists here, 2^53 - 1: every amount is an exact JSON integer. */
export const MAX_LAMPORTS: Lamports = toLamports(MAX);

/**
 * Reads a wire amount in SOL from the shortest decimal text of the number, so 0.1 is exactly 100,000,000 lamports, and so is
 * 0.09999999999999999: what float arithmetic leaves, at most a thousandth of a lamport, is rounded away. Rule M-2.
 *
 * @throws {MoneyError} for NaN, infinities, negative numbers, other decimals past the ninth, or above {@link MAX_LAMPORTS}
 */
export function parseSol(value: number): Lamports {
  if (!Number.isFinite(value)) {
    throw new MoneyError(`${value} is not an amount of SOL; give a decimal number such as 0.25`);
  }
  if (value < 0) {
    throw new MoneyError(`${value} SOL is negative; give an amount of at least 0 SOL`);
  }
  const { digits, exponent } = shortestDecimal(value);
  const shift = exponent + SOL_DECIMALS;
  // Checked before the power of ten, which for 1e308 would be a number of 300 digits.
  if (value > 1e7) {
    throw tooManySol(value);
  }
  const lamports = shift < 0 ? nearestLamports(digits, 10n ** BigInt(-shift)) : digits * 10n ** BigInt(shift);
  if (lamports === undefined) {
    throw tooManyDecimals(value);
  }
  if (!isLamports(lamports)) {
    throw tooManySol(value);
  }
  return lamports;
}

/** The lamports that `digits / parts` is at most a thousandth away from; undefined where that is none, or 0. */
function nearestLamports(digits: bigint, parts: bigint): bigint | undefined {
  const nearest = (2n * digits + parts) / (2n * parts);
  const away = digits - nearest * parts;
  const isNoise = (away < 0n ? -away : away) * NOISE_PARTS <= parts;
  return isNoise && nearest > 0n ? nearest : undefined;
}

/**
 * Writes lamports as decimal SOL without trailing zeros: `0.3`, `1`, `-0.000000001`. Exact for every integer, also for
 * balances and differences, which are no amounts. Rule M-3.
 */
export function formatSol(lamports: bigint): string {
  return formatUnits(lamports, SOL_DECIMALS);
}

/** Writes base units of an asset with so many decimals as {@link formatSol} writes lamports. */
export function formatUnits(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** Reports whether its base units are lamports. */
export const isInSol = ({ asset }: Pick<Asset, 'asset'>): boolean => asset === SOL.asset;

/** Writes an amount with its asset: `0.25 SOL`, `1.5 USDC`. A token without a name is shown by its mint. */
export function formatAmount(amount: bigint, { asset, decimals }: Asset): string {
  return `${formatUnits(amount, decimals)} ${asset.length > LONGEST_NAME ? asset : asset.toUpperCase()}`;
}

type AmountName =
  | 'maxBudget'
  | 'cost'
  | 'total'
  | 'agreedPayment'
  | 'payment'
  | 'refund'
  | 'stake'
  | 'forfeited'
  | 'maxCost';

/** Something that happened, as far as it tells amounts: in lamports, or of a token under the names without suffix. */
export type ToldAmounts = {
  readonly [Field in AmountName | `${AmountName}Lamports`]?: Lamports | null | undefined;
} & { readonly asset?: string | undefined };

/** The amount that an event tells, in base units of its asset; undefined: it tells none. */
export function amountTold(event: ToldAmounts, name: AmountName): Lamports | undefined {
  return event[name] ?? event[`${name}Lamports`] ?? undefined;
}

/** Writes the amount that an event tells. Events do not say how many decimals a token has: those are known of the service's assets. */
export function sayTold(event: ToldAmounts, name: AmountName, assets: readonly Asset[]): string {
  const amount = amountTold(event, name) ?? 0n;
  const { asset = SOL.asset } = event;
  const known = [SOL, ...assets].find((one) => one.asset === asset);
  return known === undefined ? `${amount} base units of ${asset}` : formatAmount(amount, known);
}

/** Characters of a name that is not a mint. */
export const LONGEST_NAME = 10;

/**
 * Reads an amount that somebody typed, such as `1.5`, as base units of the asset.
 *
 * @throws {MoneyError} for anything but a decimal number, more decimals than the asset has, or above {@link MAX_LAMPORTS}
 */
export function parseAmount(text: string, { asset, decimals }: Asset): Lamports {
  const [, whole, fraction = ''] = /^([0-9]{1,16})(?:\.([0-9]+))?$/.exec(text.trim()) ?? [];
  const name = asset.toUpperCase();
  if (whole === undefined)
    throw new MoneyError(`${text} is not an amount of ${name}; give a decimal number such as 1.5`);
  const kept = fraction.replace(/0+$/, '');
  if (kept.length > decimals) {
    throw new MoneyError(`${text} ${name} has more than the ${decimals} decimals of ${name}; leave out the others`);
  }
  return toLamports(BigInt(whole + kept.padEnd(decimals, '0')));
}

/** The amount that a body gives either as SOL or as base units. Rule M-92. */
export function amountOf(sol: number | undefined, units: Lamports | undefined): Lamports {
  if (units !== undefined) return units;
  if (sol === undefined) throw new MoneyError('an amount is missing');
  return parseSol(sol);
}

/** Reads base units from their decimal digits. @throws {MoneyError} above {@link MAX_LAMPORTS} */
export function unitsFromWire(digits: string): Lamports {
  return toLamports(BigInt(digits));
}

/**
 * The SOL number of a wire twin. {@link parseSol} gives back the same amount up to 8,388,608 SOL; above it a double has
 * less than one lamport's resolution, the nearest double is returned, and only the lamports twin is exact.
 */
export function lamportsToSolNumber(lamports: Lamports): number {
  return Number(formatSol(lamports));
}

/**
 * Reads a wire amount in lamports.
 *
 * @throws {MoneyError} unless it is an integer from 0 to {@link MAX_LAMPORTS}
 */
export function lamportsFromWire(value: number): Lamports {
  if (!Number.isFinite(value)) {
    throw new MoneyError(`${value} is not an amount of lamports; give an integer such as 250000000`);
  }
  if (!Number.isInteger(value)) {
    throw new MoneyError(`${value} lamports is not whole; lamports are integers, 1 SOL is 1000000000`);
  }
  return toLamports(BigInt(value));
}

/** The JSON integer of an amount, always exact. @throws {MoneyError} above {@link MAX_LAMPORTS}, which kit's lamports may be */
export function lamportsToWire(lamports: Lamports): number {
  return Number(toLamports(lamports));
}

/** The sum of amounts. @throws {MoneyError} when it passes {@link MAX_LAMPORTS} */
export function sumLamports(amounts: Iterable<Lamports>): Lamports {
  let sum = 0n;
  for (const amount of amounts) {
    sum += amount;
  }
  return toLamports(sum);
}

function isLamports(value: bigint): value is Lamports {
  return value >= 0n && value <= MAX;
}

function tooManySol(value: number): MoneyError {
  return new MoneyError(`${value} SOL is too large; the largest amount is ${formatSol(MAX_LAMPORTS)} SOL`);
}

function tooManyDecimals(value: number): MoneyError {
  const nearest = BigInt(Math.max(1, Math.round(value * Number(LAMPORTS_PER_SOL))));
  const right = isLamports(nearest) ? `; round it to lamports: ${formatSol(nearest)}` : '';
  return new MoneyError(`${value} SOL has more than nine decimals${right}`);
}

/** The number as digits * 10^exponent, without trailing zeros after the point. */
function shortestDecimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', power = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
