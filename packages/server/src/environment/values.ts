import { z } from 'zod';

/** Value formats that several environment variables share. */

export const port = z.coerce.number().int().min(0).max(65_535);
export const url = z.url();
export const allowance = z.coerce.number().int().min(0).max(1_000_000);

/** Texts between commas; spaces around them do not count. */
export const listOf = <T extends z.ZodType<string, string>>(item: T) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));
