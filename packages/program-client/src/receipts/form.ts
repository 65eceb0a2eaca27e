import { isAddress } from '@solana/kit';
import { wholeSecond } from '../handoff.js';
import type { Receipt } from './receipt.js';

/** The members of a receipt, and what each holds by its form alone. */
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  v: oneOf('legwork.receipt/1'),
  program: isKey,
  listing: isKey,
  document: isHash,
  legIndex: isUpTo(6),
  formation: isUpTo(0xffff),
  said: oneOf('picked up', 'taken over', 'received', 'accepted'),
  from: isKey,
  to: isKey,
  condition: oneOf('as described', 'noted', 'not said'),
  hash: isHashOrNull,
  at: isTime,
  signed: orNull({ signer: isText, signature: isText, text: isText }),
  previous: isHashOrNull,
  landed: orNull({ transaction: isText, slot: isText }),
};

/**
 * Receipts come out of files of strangers: what has another member, or another kind of value in one, hashes and reads otherwise
 * elsewhere.
 */
export function hasForm(receipt: Receipt): boolean {
  if (!isOf(MEMBERS, receipt)) return false;
  const { said, condition, hash } = receipt;
  if (said === 'accepted') return condition !== 'noted' && hash !== null;
  return (condition === 'noted') === (hash !== null);
}

function isOf(members: typeof MEMBERS, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  return (
    entries.length === Object.keys(members).length &&
    entries.every(([name, one]) => Object.hasOwn(members, name) && members[name]?.(one))
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && isAddress(value);
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/u.test(value);
}

function isHashOrNull(value: unknown): boolean {
  return value === null || isHash(value);
}

/** A moment that exists, in UTC and whole seconds. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const time = new Date(value);
  return !Number.isNaN(time.valueOf()) && wholeSecond(time) === value;
}

function isUpTo(most: number) {
  return (value: unknown) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}

function oneOf(...words: readonly string[]) {
  return (value: unknown) => typeof value === 'string' && words.includes(value);
}

function orNull(members: typeof MEMBERS) {
  return (value: unknown) => value === null || isOf(members, value);
}
