/** A float with exactly so many digits behind the point, from its exact value and half to even, as Rust writes it. */
export function fixedPoint(value: number, digits: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const { mantissa, exponent } = partsOf(value);
  const scaled = mantissa * 10n ** BigInt(digits);
  const rounded = exponent >= 0 ? scaled << BigInt(exponent) : divideHalfToEven(scaled, 1n << BigInt(-exponent));
  const text = String(rounded).padStart(digits + 1, '0');
  const point = text.length - digits;
  return `${signOf(value)}${text.slice(0, point)}${digits === 0 ? '' : '.'}${text.slice(point)}`;
}

/** A float with as many digits as tell it from its neighbours and without an exponent, as Rust writes it. */
export function plainFloat(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const [, whole = '0', fraction = '', exponent = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(Math.abs(value))) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const padded = digits.padStart(digits.length + Math.max(0, 1 - point), '0').padEnd(point, '0');
  const integer = padded.slice(0, Math.max(1, point));
  const rest = padded.slice(Math.max(1, point));
  return `${signOf(value)}${integer}${rest === '' ? '' : `.${rest}`}`;
}

/** Bits behind the point of the integers that `exp` calculates with. */
const PRECISION = 256n;

/** The natural logarithm of 2, as such an integer: the sum of 1 / (n × 2^n). */
const LN_2 = Array.from({ length: Number(PRECISION) }, (_, index) => BigInt(index + 1)).reduce(
  (sum, n) => sum + (1n << (PRECISION - n)) / n,
  0n,
);

/** e to the power of a value, rounded correctly as a validator's libm does; `Math.exp` is often one bit off. */
export function exp(value: number): number {
  if (value > 710) return Number.POSITIVE_INFINITY;
  if (value < -746) return 0;
  const { mantissa, exponent } = partsOf(value);
  const shift = PRECISION + BigInt(exponent);
  const size = shift >= 0n ? mantissa << shift : mantissa >> -shift;
  const fixed = value < 0 ? -size : size;
  const twos = Math.floor(value / Math.LN2);
  const rest = fixed - BigInt(twos) * LN_2;
  let sum = 0n;
  let term = 1n << PRECISION;
  for (let n = 1n; term !== 0n; n += 1n) {
    sum += term;
    term = ((term * rest) >> PRECISION) / n;
  }
  return Number(sum) * 2 ** (twos - Number(PRECISION));
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'inf' : '-inf';
}

function signOf(value: number): string {
  return value < 0 || Object.is(value, -0) ? '-' : '';
}

/** The absolute value is mantissa × 2^exponent. */
function partsOf(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const fraction = raw & (2n ** 52n - 1n);
  const exponent = Number((raw >> 52n) & 0x7ffn);
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (2n ** 52n), exponent: exponent - 1075 };
}

function divideHalfToEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}
