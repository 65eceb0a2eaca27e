import { isUuid } from '@agent-relay/protocol';
import { isSignature } from '@solana/kit';
import { InvalidArgumentError } from 'commander';

/** A TCP port as an option's value; 0 lets the system choose. */
export function parsePort(text: string): number {
  return parseWhole(text, 0, 65_535);
}

/** Milliseconds of one slot as an option's value. */
export function parseSlotMs(text: string): number {
  return parseWhole(text, 1, 60_000);
}

/** A UUID as an argument. */
export function parseUuid(text: string): string {
  if (isUuid(text.toLowerCase())) return text;
  throw new InvalidArgumentError('It must be a UUID.');
}

/** A transaction signature as an argument. */
export function parseSignature(text: string): string {
  if (isSignature(text)) return text;
  throw new InvalidArgumentError('It must be a transaction signature in base58.');
}

function parseWhole(text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
}
