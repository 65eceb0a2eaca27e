import { z } from 'zod';
import { assetName, checkAmount, units } from '../amounts.js';
import {
  address,
  finality,
  lamports,
  latitude,
  longitude,
  solAmount,
  solView,
  timestamp,
  walletPubkey,
} from '../schemas.js';
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
