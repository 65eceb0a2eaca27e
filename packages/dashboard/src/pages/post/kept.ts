import { TERMS_PRESETS } from '@legwork/protocol/contract';
import { z } from 'zod';
import type { Kind } from '../../data/legWords.js';
import { RECEIVERS, type Typed } from './draft.js';

const text = z.string();
const place = z.object({ name: text, lat: z.number(), lng: z.number() });

/** A form as this tab keeps it: a phone may drop a page that is in the background. */
const form = z.object({
  title: text,
  description: text,
  from: text,
  to: text,
  origin: place.optional(),
  destination: place.optional(),
  weightKg: text,
  volumeLitres: text,
  legs: z.array(text).min(1),
  legMinutes: text,
  asset: text,
  budget: text,
  isBudgetOwn: z.boolean(),
  hours: text,
  preset: z.enum(TERMS_PRESETS),
  receives: z.enum(RECEIVERS),
  receiver: text,
});

/** What was signed, and of which it is not known whether it is listed. */
const signed = z.union([
  z.object({ packageId: text, transaction: text }),
  z.object({ taskId: text, instructions: z.array(text), transaction: text }),
]);

/** A listing that its wallet has signed. */
export type KeptListing = z.output<typeof signed>;

const formOf = (kind: Kind) => `legwork-post-${kind}`;
const signedOf = (kind: Kind) => `legwork-signed-${kind}`;

/** What was typed into the form of this tab; undefined: nothing, or what a former version kept. */
export function keptForm(kind: Kind): Typed | undefined {
  const found = read(formOf(kind), form);
  return found && { ...found, kind };
}

export const keepForm = (typed: Typed): void => write(formOf(typed.kind), typed);

export const keptListing = (kind: Kind): KeptListing | undefined => read(signedOf(kind), signed);

/** @param listing undefined: there is none any more */
export const keepListing = (kind: Kind, listing: KeptListing | undefined): void => write(signedOf(kind), listing);

/** It is listed: the next form begins empty. */
export function forgetPosted(kind: Kind): void {
  write(formOf(kind), undefined);
  write(signedOf(kind), undefined);
}

function read<Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(sessionStorage.getItem(name) ?? 'null')).data;
  } catch {
    return undefined;
  }
}

function write(name: string, value: object | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Without it a page that is loaded again begins anew.
  }
}
