import { isUuid, LegworkError } from '@legwork/protocol/contract';
import { isAddress } from '@solana/kit';
import { z } from 'zod';

const id = z.string().refine(isUuid);

/** A place in a list ordered by id. */
export const idPosition = z.tuple([id]);

/** A place in what a search found: its name, the listing, and what of it. */
export const searchPosition = z.tuple([z.string(), id, id]);

/** A place in a list ordered by the part that a key has, and then by id. */
export const partyPosition = z.tuple([z.enum(['0', '1']), id]);

const time = z.iso.datetime();
const key = z.string().refine((text) => isAddress(text));
const whole = z
  .string()
  .regex(/^\d{1,16}$/)
  .refine((text) => Number.isSafeInteger(Number(text)));

/** A place in the log of events: a number. */
export const seqPosition = z.tuple([whole]);

/** A place in a list ordered by time and then by address. */
export const timePosition = z.tuple([time, key]);

/** A place in a list ordered by a number and then by address. */
export const numberPosition = z.tuple([whole, key]);

/** A place in a list ordered by two numbers and then by address. */
export const numbersPosition = z.tuple([whole, whole, key]);

/** A place in a list ordered by an amount in lamports, then by time, then by address. */
export const amountPosition = z.tuple([whole, time, key]);

/**
 * Where the page before ended; undefined for the first page. A cursor is opaque to clients: the keys of the last entry,
 * as JSON in base64url. Rule S-20.
 *
 * @throws LegworkError `invalid_input` for a cursor that this list never returned
 */
export function readCursor<T>(position: z.ZodType<T>, cursor: string | undefined): T | undefined {
  if (cursor === undefined) return undefined;
  const read = position.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (read.success) return read.data;
  throw LegworkError.field(
    'invalid_input',
    'cursor',
    'is not a cursor of this list; take it from the Link header (a tool: from nextCursor) of the page before',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The cursor at a position, behind which the next page begins. */
export function cursorAt(position: readonly string[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * Cuts a page out of rows read with one more than its limit; the extra row says whether there is a next page.
 *
 * @param positionOf what the cursor holds: the keys that the list is ordered by
 */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => readonly string[],
): { page: Row[]; nextCursor: string | undefined } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > page.length && last !== undefined;
  return { page, nextCursor: more ? cursorAt(positionOf(last)) : undefined };
}
