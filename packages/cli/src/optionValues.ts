import { InvalidArgumentError } from 'commander';

/** A TCP port as an option's value; 0 lets the system choose. */
export function parsePort(text: string): number {
  return parseWhole(text, 0, 65_535);
}

/** Milliseconds of one slot as an option's value. */
export function parseSlotMs(text: string): number {
  return parseWhole(text, 1, 60_000);
}

function parseWhole(text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
}
