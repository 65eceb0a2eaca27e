import { InvalidArgumentError } from 'commander';

/** A TCP port as an option's value; 0 lets the system choose. */
export function parsePort(text: string): number {
  return parseWhole(text, 0, 65_535);
}

/** Milliseconds of one slot as an option's value. */
export function parseSlotMs(text: string): number {
  return parseWhole(text, 1, 60_000);
}

/** A whole number in these bounds as an option's value. */
export function wholeBetween(least: number, most: number): (text: string) => number {
  return (text) => parseWhole(text, least, most);
}

/** A number above 0 in digits, such as SOL or kilometres, as an option's value. */
export function parseAmount(text: string): number {
  if (/^\d{1,12}(\.\d{1,12})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It must be a number above 0, in digits, such as 0.25.');
}

/** As {@link parseAmount}, or 0. */
export const parseCap = (text: string): number => (text === '0' ? 0 : parseAmount(text));

/** A place, `latitude,longitude` in degrees, as an option's value. */
export function parsePlace(text: string): { lat: number; lng: number } {
  const [, lat, lng] = /^(-?\d{1,3}(?:\.\d{1,15})?),\s*(-?\d{1,3}(?:\.\d{1,15})?)$/.exec(text) ?? [];
  if (Math.abs(Number(lat)) <= 90 && Math.abs(Number(lng)) <= 180) return { lat: Number(lat), lng: Number(lng) };
  throw new InvalidArgumentError('It must be latitude,longitude in degrees, such as 52.52,13.405.');
}

/** The id of something on the service as an argument's value. */
export function parseId(text: string): string {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a UUID, as legwork packages, legwork tasks and legwork due list it.');
}

/** The address of a key as an option's value; whether it is one, the service says. */
export function parseAddress(text: string): string {
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be an address: 32 to 44 characters of base58.');
}

/** The signature of a transaction as an argument's value. */
export function parseSignature(text: string): string {
  if (/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a signature in base58, of 64 to 88 characters.');
}

/** An http or https address without a name or a password, as an option's value. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return text;
  throw new InvalidArgumentError('It must be an http or https address without a name or a password.');
}

function parseWhole(text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
}
