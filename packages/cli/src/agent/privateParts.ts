import { privateHashes } from '@legwork/protocol/rules';
import type { PackageDraft } from '@legwork/sdk';
import { z } from 'zod';
import { UsageError, UserError } from '../screen.js';
import type { Agent } from './agent.js';
import { textIn } from './moves.js';
import type { Shown } from './output.js';

const part = z.strictObject({
  address: z.string().min(1),
  contact: z.string().min(1).optional(),
  note: z.string().min(1).optional(),
});
const draft = z
  .strictObject({ pickup: part.optional(), dropoff: part.optional() })
  .refine(({ pickup, dropoff }) => pickup !== undefined || dropoff !== undefined, 'it has neither pickup nor dropoff');

/** Reads the private parts of a package to post. @throws UsageError when the file holds something else */
export async function partsIn(file: string): Promise<NonNullable<PackageDraft['private']>> {
  const text = await textIn(file);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is no JSON. ${FORM}`);
  }
  const read = draft.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new UsageError(`${file}: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}. ${FORM}`);
}

const FORM =
  'It must be {"pickup": {"address": "…", "contact": "…", "note": "…"}, "dropoff": …}, contact and note as you like.';

/** The private parts of a package that are for this key, as its shipper signed them. Each reading is noted for the shipper. */
export async function privateParts(agent: Agent, { package: packageId }: { readonly package: string }): Promise<Shown> {
  const { client } = await agent.session();
  const { privateHashes: signed } = await client.getPackage({ packageId });
  const { pickup, dropoff } = await client.getPrivateParts({ packageId });
  const parts = { ...(pickup && { pickup }), ...(dropoff && { dropoff }) };
  const told = privateHashes(parts);
  for (const name of ['pickup', 'dropoff'] as const) {
    if (told[name] === null || told[name] === signed?.[name]) continue;
    throw new UserError(`The ${name} that the service tells is not the one that the terms of the package name.`);
  }
  const lines = Object.entries(parts).flatMap(([name, { address, contact, note }]) => [
    `${name}:`,
    ...[address, contact, note].flatMap((text) => (text === undefined ? [] : [`  ${text.replaceAll('\n', '\n  ')}`])),
  ]);
  return { data: { packageId, pickup, dropoff }, text: lines.join('\n') || 'It has no private parts for you.' };
}
