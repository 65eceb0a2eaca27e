import { type EventPayload, type EventType, eventPayloads } from '@legwork/protocol/contract';
import { z } from 'zod';
import type { Trx } from '../db/connect.js';

/**
 * Appends an event in the transaction that makes it true. `subject` is the resource it is about (`package:<id>`).
 * It becomes visible to readers once the sequencer has numbered it, right after the commit.
 */
export async function appendEvent<T extends EventType>(
  trx: Trx,
  type: T,
  subject: string,
  payload: EventPayload<T>,
): Promise<void> {
  const schema: z.ZodType = eventPayloads[type];
  const wire = z.encode(schema, payload);
  await trx
    .insertInto('events')
    .values({ type, subject, payload: JSON.stringify(wire) })
    .execute();
}
