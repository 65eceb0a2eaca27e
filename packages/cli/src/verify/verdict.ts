import { z } from 'zod';
import type { Verdict } from '@legwork/sdk';
import { UserError } from '../screen.js';

const verdict = z.discriminatedUnion('confirm', [
  z.strictObject({ confirm: z.literal(true), reason: z.string().optional() }),
  z.strictObject({ confirm: z.literal(false), reason: z.string().min(1) }),
]);

/** Reads `{"confirm": …, "reason": …}`: nothing before it, nothing after it, nothing else in it. @throws UserError */
export function verdictIn(text: string, whose: string): Verdict {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UserError(`${whose} does not answer with JSON.`);
  }
  const read = verdict.safeParse(json);
  if (read.success) return read.data;
  throw new UserError(`${whose} answers with JSON that is no {"confirm": true or false, "reason": "…"}.`);
}
