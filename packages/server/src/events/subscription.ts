import { type EventType, type FieldError, parseTopics, type RelayError, topicsText } from '@legwork/protocol/contract';
import { invalidInput } from '../api/parseInput.js';

/** What a client asked for when it connected. */
export interface Subscription {
  /** Replay what follows this number; undefined: only what happens from now on. */
  since: bigint | undefined;
  /** Only these types; undefined: all. */
  topics: readonly EventType[] | undefined;
}

const MAX_SINCE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Reads `?since=&topics=`. Rule S-32.
 *
 * @throws RelayError `invalid_input` that names every wrong parameter
 */
export function parseSubscription(query: URLSearchParams): Subscription {
  const errors: FieldError[] = [];
  const values = new Map<string, string>();
  for (const [name, value] of query) {
    if (name !== 'since' && name !== 'topics')
      errors.push({ field: name, message: 'is not a field here; there is since, topics' });
    else if (values.has(name)) errors.push({ field: name, message: 'was given more than once; give it once' });
    else values.set(name, value);
  }
  const since = values.get('since');
  if (since !== undefined && !isSeq(since)) {
    errors.push({ field: 'since', message: 'must be the seq of an event, an integer from 0 (0 replays everything)' });
  }
  const topics = topicsText.optional().safeParse(values.get('topics'));
  for (const { message } of topics.error?.issues ?? []) errors.push({ field: 'topics', message });
  if (errors.length > 0) throw invalidInput(errors);
  return {
    since: since === undefined ? undefined : BigInt(since),
    topics: topics.data === undefined ? undefined : parseTopics(topics.data),
  };
}

/** The refusal of a number beyond the log: it comes from another service, and would hide what happens next. */
export function beyondTheLog(since: bigint, last: bigint): RelayError {
  const message = `is ${since}, but the newest event here is ${last}; leave it out, or replay from a number of this service`;
  return invalidInput([{ field: 'since', message }]);
}

function isSeq(text: string): boolean {
  return /^\d{1,16}$/.test(text) && BigInt(text) <= MAX_SINCE;
}
