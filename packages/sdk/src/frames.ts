import { EVENT_TYPES, eventFrame } from '@legwork/protocol/contract';
import type { RelayEvent } from '@legwork/protocol/contract';
import { decodeKnown } from './decodeKnown.js';
import { RelayProtocolError } from './errors.js';

/** One frame of the stream: its number, and its event unless the type is newer than this SDK. */
export interface Frame {
  readonly seq: number;
  readonly event: RelayEvent | undefined;
}

/**
 * Reads a frame. A type that this SDK does not know keeps its number, so that the stream goes on behind it.
 *
 * @throws {RelayProtocolError} when it is not a frame
 */
export function readFrame(data: unknown): Frame {
  const text = typeof data === 'string' ? data : '';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new RelayProtocolError('a frame of the event stream is not JSON text', { cause });
  }
  const { seq, type } = (json ?? {}) as { seq?: unknown; type?: unknown };
  if (typeof seq !== 'number') throw new RelayProtocolError('a frame of the event stream has no seq');
  if (!EVENT_TYPES.some((known) => known === type)) return { seq, event: undefined };
  const decoded = decodeKnown(eventFrame, json);
  if (!decoded.success) {
    throw new RelayProtocolError(`event ${seq} has another form than this SDK knows`, { cause: decoded.error });
  }
  return { seq, event: decoded.data };
}
