import type { EventType, LegworkEvent } from '@legwork/protocol/contract';

/** Which events a list shows, and how many at most. */
export interface LogOf {
  /** Left out: all. */
  readonly topics?: readonly EventType[];
  readonly length: number;
}

/**
 * A list of events, newest first, with those that came after: each once, however the two overlap. The same list if none did. Rule D-5.
 *
 * @param events newest first
 */
export function joined(
  known: readonly LegworkEvent[],
  events: readonly LegworkEvent[],
  { topics, length }: LogOf,
): readonly LegworkEvent[] {
  const newest = known[0]?.seq ?? -1;
  const fresh = events.filter(({ seq, type }) => seq > newest && (topics === undefined || topics.includes(type)));
  return fresh.length === 0 ? known : [...fresh, ...known].slice(0, length);
}
