import { relayErrorFromCode } from '@legwork/program-client';
import { z } from 'zod';
import { t } from '../language.js';

const refused = z.object({ InstructionError: z.tuple([z.coerce.number(), z.unknown()]) });
const custom = z.object({ Custom: z.coerce.number() });

/** Why a transaction failed, in words: the program's own reason where it gave one. @param error as a node tells it */
export function failureOf(error: unknown): string {
  const instruction = refused.safeParse(error);
  if (!instruction.success) return textOf(error);
  const [index, cause] = instruction.data.InstructionError;
  const code = custom.safeParse(cause);
  const known = code.success ? relayErrorFromCode(code.data.Custom) : undefined;
  const reason = known
    ? `${known.name}: ${t(known.message)}`
    : textOf(code.success ? t('error {number}', { number: code.data.Custom }) : cause);
  return t('Instruction {number}: {reason}', { number: index + 1, reason });
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
}
