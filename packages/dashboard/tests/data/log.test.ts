import { EVENT_TYPES, type LegworkEvent } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joined } from '../../src/data/log.js';
import { anEvent } from './anEvent.js';

/** What happened on a market, newest first. */
const log = (types: readonly LegworkEvent['type'][]) =>
  types.map((type, at) => anEvent(type, { seq: at + 1 })).toReversed();
const upTo = (events: readonly LegworkEvent[], seq: number) => events.filter((event) => event.seq <= seq);
const after = (events: readonly LegworkEvent[], seq: number) => events.filter((event) => event.seq > seq);

describe('a list of events that goes on', () => {
  it('has no gap and no duplicate, wherever what was read and what came overlap (D-5)', () => {
    const scenario = fc.record({
      types: fc.array(fc.constantFrom(...EVENT_TYPES), { maxLength: 40 }),
      topics: fc.option(fc.subarray(EVENT_TYPES, { minLength: 1 }), { nil: undefined }),
      length: fc.integer({ min: 1, max: 20 }),
      read: fc.nat(40),
      overlap: fc.nat(40),
      batch: fc.integer({ min: 1, max: 10 }),
    });
    fc.assert(
      fc.property(scenario, ({ types, topics, length, read, overlap, batch }) => {
        const of = { length, ...(topics && { topics }) };
        const isWanted = ({ type }: LegworkEvent) => topics === undefined || topics.includes(type);
        const events = log(types);
        let list: readonly LegworkEvent[] = upTo(events, read).filter(isWanted).slice(0, length);
        for (let from = Math.max(0, read - overlap); from < types.length; from += batch) {
          list = joined(list, upTo(after(events, from), from + batch), of);
        }
        expect(list).toEqual(events.filter(isWanted).slice(0, length));
      }),
    );
  });

  it('is the same list while nothing new came', () => {
    const events = log(['PACKAGE_LISTED', 'BID_STORED']);
    expect(joined(events, events, { length: 10 })).toBe(events);
    expect(joined(events, [anEvent('BID_STORED', { seq: 9 })], { length: 10, topics: ['LEG_CONFIRMED'] })).toBe(events);
  });
});
