import { z } from 'zod';
import { assetName, checkAmount, units } from '../amounts.js';
import { lamportsToSolNumber, MAX_LAMPORTS } from '../money.js';
import {
  address,
  EXPLORER_LINKS,
  finality,
  lamports,
  latitude,
  longitude,
  solAmount,
  solView,
  timestamp,
  walletPubkey,
} from '../schemas.js';
import { OWN_TERMS, REQUIREMENTS, TERMS } from '../terms.js';
import type { Operation, ToolContract } from './operation.js';

/** An operation that is a tool too. */
export type ToolOperation = Operation & { tool: ToolContract };

/** Items a page of a tool's list has: few, so that no answer outgrows a client. */
export const toolPageSize = z.int().min(1).max(50).default(20).meta({ description: 'items a page' });

/** Descriptions of units and forms that the name of a field implies: `costLamports`, `deadline`, `originLat`. */
export const UNITS: ReadonlySet<string | undefined> = new Set(
  [address, assetName, finality, lamports, latitude, longitude, solAmount, solView, timestamp, units, walletPubkey].map(
    ({ description }) => description,
  ),
);

/** Reports whether the operation is a tool. */
export function isTool(operation: Operation): operation is ToolOperation {
  return operation.tool !== undefined;
}

/** The arguments of the tool: the fields of path, query and body in one object; lists come in smaller pages. */
export function toolInput({ params, query, body, paged, tool }: Operation): z.ZodObject {
  const ofBody = Object.entries(body?.shape ?? {}).filter(([name]) => !tool?.without?.includes(name));
  const fields = z.strictObject({
    ...params?.shape,
    ...query?.shape,
    ...Object.fromEntries(ofBody),
    ...(paged && { limit: toolPageSize }),
  });
  return tool?.amount === undefined ? fields : fields.superRefine(checkAmount(tool.amount));
}

/** A list says no larger total: counting further would take the longer the more there ever was. */
export const MOST_COUNTED = 10_000;

/** The tool's answer, always an object: a list is `{items, nextCursor, total}`. */
export function toolAnswer({ answer, tool }: ToolOperation): z.ZodType {
  const shown = tool.answer ?? answer;
  if (!(shown instanceof z.ZodArray)) return shown;
  return z.strictObject({
    items: shown,
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: 'give it as cursor for the next page; null: this was the last one' }),
    total: z
      .int()
      .min(0)
      .max(MOST_COUNTED)
      .meta({ description: `items in all pages, at most ${MOST_COUNTED}` }),
  });
}

/** Descriptions that say what the fields are: models pay by the word. */
export const TOLD_IN_WORDS: ReadonlySet<string | undefined> = new Set([EXPLORER_LINKS, OWN_TERMS, REQUIREMENTS, TERMS]);

/** Characters of a description that its name recalls where the list has told it before. */
const SHORT = 40;
/** Addresses, amounts in decimal digits, and pairs of degrees. */
const BY_NAME = /^\^(?:\[1-9A-HJ-NP-Za-km-z\]|\(0\|\[1-9\]|\(-\?\\d)/;
const MOST_SOL = lamportsToSolNumber(MAX_LAMPORTS);
/** So much of anything holds nobody back. */
const FAR_ENOUGH = 20_000;

/**
 * Shortens the schemas of the arguments of a list of tools: without examples, which the description of a tool has; without
 * patterns with characters by number or class, as many hosts do not know them and would refuse the whole schema; without fields
 * that the words beside them name, and without words that were told before in the list: short ones, or all of them. Rule S-99.
 *
 * @param before inputs of tools that stand before these in the list, whose words are not said again
 */
export function shortArguments(before: readonly z.ZodObject[] = []): Shorten {
  const told = new Set<string>();
  const short = shortener(told, () => false);
  for (const one of before) z.toJSONSchema(one, { io: 'input', override: short });
  const saidThere = new Set(told);
  return shortener(told, (words) => saidThere.has(words));
}

type Shorten = (given: { jsonSchema: z.core.JSONSchema.BaseSchema }) => void;

function shortener(told: Set<string>, isSaid: (words: string) => boolean): Shorten {
  return ({ jsonSchema }) => {
    const { pattern = '', description = '', type, maximum = 0 } = jsonSchema;
    // Their names and descriptions say what they are, and a refusal what is wrong with one.
    if (/\\[Pux]/.test(pattern) || BY_NAME.test(pattern)) delete jsonSchema.pattern;
    if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
    if (maximum === MOST_SOL || (type === 'number' && maximum > FAR_ENOUGH)) delete jsonSchema.maximum;
    delete jsonSchema.examples;
    // Degrees and the like.
    if (UNITS.has(description) && type === 'number' && maximum > 0 && maximum !== MOST_SOL) {
      delete jsonSchema.minimum;
      delete jsonSchema.maximum;
    }
    const isShort = UNITS.has(description) || description.length <= SHORT;
    if (isShort ? told.has(description) : isSaid(description)) delete jsonSchema.description;
    told.add(description);
    if (!TOLD_IN_WORDS.has(description)) return;
    delete jsonSchema.properties;
    delete jsonSchema.additionalProperties;
  };
}
