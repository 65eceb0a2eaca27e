import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toLamports } from '../../src/contract/money.js';
import { EVENT_TYPES, eventFrame, eventPayloads, parseTopics, topicsText } from '../../src/contract/events.js';

const KEY = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const ID = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b31';
const HASH = '0f'.repeat(32);
const NOW = new Date(Date.UTC(2030, 0, 1));
const where = { kind: 'package' as const, packageId: ID, swarmId: ID, legId: ID, legIndex: 1 };
const of = { ...where, agentPubkey: KEY, signature: 's' };
const head = { seq: 7, occurredAt: NOW };

const LEG_EVENTS = [
  { ...head, type: 'LEG_ACCEPTED', ...of, stakeLamports: toLamports(5n) },
  { ...head, type: 'LEG_CARRIED', ...of, until: NOW },
  { ...head, type: 'LEG_VACATED', ...of, forfeitedLamports: toLamports(0n) },
  {
    ...head,
    type: 'LEG_OPENED',
    ...where,
    pickup: { lat: 1, lng: 2 },
    dropoff: { lat: 3, lng: 4 },
    maxCostLamports: toLamports(9n),
    closesAt: NOW,
  },
  {
    ...head,
    type: 'LEG_REPLACED',
    ...of,
    formerLegId: ID,
    formerAgentPubkey: KEY,
    agreedPaymentLamports: toLamports(9n),
  },
  { ...head, type: 'LEG_CLAIMED', ...of, evidenceHash: HASH, until: NOW },
  { ...head, type: 'LEG_DISPUTED', ...of, disputerPubkey: KEY, reasonHash: HASH, until: NOW },
  { ...head, type: 'LEG_RULED', ...of, by: 'silence' as const, percent: 50 },
] as const;

describe('events', () => {
  it('[S-31] have one frame a type: what the payload carries, its type, number and time', () => {
    const frames = eventFrame.options.map(({ shape }) => [shape.type.value, Object.keys(shape).sort()] as const);
    const expected = EVENT_TYPES.map((type) => {
      const keys = [...Object.keys(eventPayloads[type].shape), 'type', 'seq', 'occurredAt'];
      return [type, keys.sort()] as const;
    });
    expect(frames).toEqual(expected);
  });

  it('[S-32] are chosen by types joined by commas', () => {
    expect(topicsText.safeParse('LEG_CLAIMED,LEG_RULED').success).toBe(true);
    expect(topicsText.safeParse('LEG_CLAIMED,LEG_LOST').success).toBe(false);
    expect(parseTopics('LEG_RULED,LEG_CLAIMED,LEG_RULED')).toEqual(['LEG_RULED', 'LEG_CLAIMED']);
  });
});

describe('the events of legs with terms', () => {
  it.each(LEG_EVENTS)('[S-90] are what they were after the wire: $type', (event) => {
    const wire: unknown = JSON.parse(JSON.stringify(z.encode(eventFrame, event)));
    expect(eventFrame.parse(wire)).toEqual(event);
  });

  it('[S-90] are all of them, and say of what kind their listing is', () => {
    const types = EVENT_TYPES.filter((type) => 'kind' in eventPayloads[type].shape);
    expect(types).toEqual(LEG_EVENTS.map(({ type }) => type));
    for (const type of types) expect(types).toContain(type);
  });

  it('[S-90] carry the signature of their move, but the one that no move makes', () => {
    const unsigned = LEG_EVENTS.filter(({ type }) => !('signature' in eventPayloads[type].shape));
    expect(unsigned.map(({ type }) => type)).toEqual(['LEG_OPENED']);
  });
});
