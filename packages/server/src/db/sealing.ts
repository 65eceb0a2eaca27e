import { LegworkError } from '@legwork/protocol/contract';
import type { KeyRing } from './keyRing.js';
import type { ColumnType } from 'kysely';
import type { PLACE_DECIMALS } from './near.js';

/** Begins a sealed text in the database; no text of anybody else has it in it. A character for private use, and a word. */
export const MARK = '\uE000sealed:';
const SEALED = new RegExp(`^${MARK}(\\d{4}-\\d{2}):([A-Za-z0-9_-]+)$`);

/** The placeholder for erased personal text, or for text whose key is gone. */
export const ERASED = 'erased';

/** A text for the database that is about people: it is sealed on its way there, and opened on its way back. Rule S-148. */
export class Personal {
  constructor(readonly text: string) {}
}

/** About people: sealed on its way to the database and opened on its way back. */
export type Sealed = ColumnType<string, Personal, Personal>;
export type SealedOrNull = ColumnType<string | null, Personal | null, Personal | null>;
/** Of a row: what stands in other columns only until it is erased. Reading lays it over them. */
export type SealedColumns = ColumnType<undefined, Personal | null | undefined, Personal | null>;

export function personal(text: string): Personal;
export function personal(text: string | null): Personal | null;
export function personal(text: string | null): Personal | null {
  return text === null ? null : new Personal(text);
}

/**
 * The row as it is stored: in the columns stands what anybody may know after an erasure, in `personal` what was there. Reading lays that
 * over the row again.
 *
 * @param shown what stays of each column
 */
export function withPersonal<Row extends object>(row: Row, shown: Partial<Row>): Row & { personal: Personal } {
  const hidden = Object.fromEntries(Object.keys(shown).map((column) => [column, row[column as keyof Row]]));
  return { ...row, ...shown, personal: new Personal(JSON.stringify(hidden)) };
}

/** The coordinates in these columns, rounded. */
export function rounded<Row extends object>(
  row: Row,
  columns: readonly (keyof Row)[],
  decimals: 0 | typeof PLACE_DECIMALS = 0,
): Partial<Row> {
  const factor = 10 ** decimals;
  const round = (value: unknown) => (typeof value === 'number' ? Math.round(value * factor) / factor : value);
  return Object.fromEntries(columns.map((column) => [column, round(row[column])])) as Partial<Row>;
}

/** A query's parameters with what is personal sealed; without keys it stays as it is. @throws LegworkError `invalid_input` for a mark in others */
export function sealParameters(ring: KeyRing | undefined, values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    if (value instanceof Personal) return sealed(ring, value.text);
    refuseMark(value);
    return value;
  });
}

/** The text as it is stored. */
function sealed(ring: KeyRing | undefined, text: string): string {
  if (ring === undefined) return text;
  const { key, sealed: bytes } = ring.sealRow(text, new Date());
  return `${MARK}${key}:${bytes}`;
}

/** Somebody who has a sealed text from elsewhere could have it opened otherwise. */
function refuseMark(value: unknown): void {
  const hasMark =
    typeof value === 'string'
      ? value.includes(MARK)
      : Array.isArray(value) && value.some((one) => typeof one === 'string' && one.includes(MARK));
  if (hasMark) {
    throw new LegworkError('invalid_input', `a text has U+E000 before "sealed:" in it, which only this service writes`);
  }
}

/** Opens what is sealed in the rows, in place: texts at any depth, and `personal` over its row. */
export function openRows(ring: KeyRing | undefined, rows: readonly unknown[]): void {
  for (const row of rows) if (isRecord(row)) openRecord(ring, row);
}

function openRecord(ring: KeyRing | undefined, record: Record<string, unknown>): void {
  // Every value of every row comes here: a list of them would cost more than the look.
  for (const name in record) {
    if (name !== 'personal') record[name] = opened(ring, record[name]);
  }
  const { personal: kept } = record;
  if (typeof kept !== 'string' && kept !== null) return;
  delete record['personal'];
  const over = kept === null ? undefined : parsed(openText(ring, kept));
  if (isRecord(over)) layOver(record, over);
}

/** Undefined for what is no JSON: only another hand than this service's wrote it. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function layOver(record: Record<string, unknown>, over: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(over)) {
    const under = record[name];
    record[name] = isRecord(under) && isRecord(value) ? { ...under, ...value } : value;
  }
}

function opened(ring: KeyRing | undefined, value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? (openText(ring, value) ?? ERASED) : value;
  if (Array.isArray(value)) return value.map((one) => opened(ring, one));
  if (isRecord(value)) openRecord(ring, value);
  return value;
}

/** The text that is stored; undefined: its key is gone, or it is not what was sealed. */
function openText(ring: KeyRing | undefined, stored: string): string | undefined {
  if (!stored.startsWith(MARK)) return stored;
  const [, key, bytes] = SEALED.exec(stored) ?? [];
  if (key === undefined || bytes === undefined) return undefined;
  return ring?.openRow({ key, sealed: bytes });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
