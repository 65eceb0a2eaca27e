import { bytesToUuid } from '@legwork/protocol/contract';
import { wordsOf } from '../../checks/transaction.js';
import { getBase16Decoder, isOption, isSome, type Option, type ReadonlyUint8Array } from '@solana/kit';
import { m, type Message, t } from '../../language.js';

/** A value of an account or an argument, as it is to be shown. */
export type Shown =
  | { readonly kind: 'lamports'; readonly lamports: bigint }
  | { readonly kind: 'instant'; readonly at: Date }
  | { readonly kind: 'address' | 'hash' | 'package' | 'task'; readonly text: string }
  | { readonly kind: 'words'; readonly text: string };

/** How the data is laid out, not what it says. */
const LAYOUT = new Set(['kind', 'version', 'bump', 'vaultBump', 'reserved', 'discriminator', 'status']);
const AMOUNTS = new Set(['maxBudget', 'paid']);
const INSTANTS = new Set(['deadline', 'listedAt', 'completedAt']);
const NOBODY = '1'.repeat(32);

/** What decoded data says, by the names of its fields; how it is laid out is left out. A tail counts as fields of its own. */
export function valuesOf(data: object): [name: string, value: Shown][] {
  return Object.entries(data)
    .filter(([name]) => !LAYOUT.has(name))
    .flatMap(([name, value]) => (isOption<object>(value) ? tailOf(value) : [[name, shownAs(name, value)]]));
}

const tailOf = (tail: Option<object>) => (isSome(tail) ? valuesOf(tail.value) : []);

function shownAs(name: string, value: unknown): Shown {
  if (value instanceof Uint8Array) return bytesAs(name, value);
  if (typeof value === 'bigint') {
    if (AMOUNTS.has(name) || name.endsWith('Lamports')) return { kind: 'lamports', lamports: value };
    return INSTANTS.has(name) ? instantOf(value) : words(String(value));
  }
  if (typeof value === 'string') return value === NOBODY ? words(t('none yet')) : { kind: 'address', text: value };
  if (typeof value === 'boolean' || name === 'paused') return words(Number(value) === 0 ? t('no') : t('yes'));
  return words(String(value));
}

function bytesAs(name: string, bytes: ReadonlyUint8Array): Shown {
  const plain = Uint8Array.from(bytes);
  if (name === 'packageId' || name === 'taskId') {
    return { kind: name === 'packageId' ? 'package' : 'task', text: bytesToUuid(plain) };
  }
  return plain.every((byte) => byte === 0)
    ? words(t('none yet'))
    : { kind: 'hash', text: getBase16Decoder().decode(plain) };
}

/** The latest second that a date can be of. */
const LAST_SECOND = 8_640_000_000_000n;

function instantOf(second: bigint): Shown {
  if (second === 0n) return words(t('not yet'));
  if (second > LAST_SECOND || second < -LAST_SECOND)
    return words(t('second {second}, beyond any calendar', { second: String(second) }));
  return { kind: 'instant', at: new Date(Number(second) * 1000) };
}

const words = (text: string): Shown => ({ kind: 'words', text });

/** What fields of several words are called, as {@link titleOf} says them. */
export const TITLES: Readonly<Record<string, Message>> = {
  packageId: m('Package ID'),
  taskId: m('Task ID'),
  maxBudget: m('Max budget'),
  termsHash: m('Terms hash'),
  listedAt: m('Listed at'),
  completedAt: m('Completed at'),
  totalLegs: m('Total legs'),
  completedLegs: m('Completed legs'),
  assignedLegs: m('Assigned legs'),
  assignedLamports: m('Assigned'),
  numLegs: m('Num legs'),
  lastCourier: m('Last courier'),
  rentPayer: m('Rent payer'),
  evidenceHash: m('Evidence hash'),
  reasonHash: m('Reason hash'),
  arbitration: m('Arbitration'),
  resultHash: m('Result hash'),
  legsAccepted: m('Legs accepted'),
  legsCompleted: m('Legs completed'),
  reliabilityScore: m('Reliability score'),
  pendingAuthority: m('Pending authority'),
  newAuthority: m('New authority'),
  minAmount: m('Min amount'),
  expiresAt: m('Expires at'),
};

/** `maxBudget` as `Max budget`, `InTransit` as `In transit`. */
export function titleOf(name: string): string {
  const spaced = wordsOf(name).trim().replace(' id', ' ID');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
