import { eventFrame, operations } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import { createLegworkClient, LegworkProtocolError } from '../src/index.js';
import { decodeKnown } from '../src/decodeKnown.js';
import { startOutsideService } from './support/outsideService.js';
import { config } from './support/serviceConfig.js';

const AGENT = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const agent = {
  agentPubkey: AGENT,
  displayName: null,
  capabilities: [],
  requireSignedCalls: false,
  registeredAt: '2026-01-02T03:04:05.678Z',
  reputation: { legsAccepted: 0, legsCompleted: 0, reliabilityScore: 0 },
  earnedLamports: 0,
  lastCompletedAt: null,
};

const withdrawn = {
  type: 'BID_WITHDRAWN',
  seq: 7,
  occurredAt: agent.registeredAt,
  packageId: '01900000-0000-7000-8000-000000000001',
  bidId: '01900000-0000-7000-8000-000000000002',
  agentPubkey: AGENT,
};

describe('a service newer than the SDK', () => {
  test('may tell more, at any depth: what is known of it is given (S-91)', async () => {
    const { perMinute } = config.limits;
    const told = {
      ...config,
      colour: 'red',
      limits: { ...config.limits, size: 1, perMinute: { ...perMinute, more: 2 } },
    };
    const service = await startOutsideService(() => ({ json: told }));
    const answer = await createLegworkClient({ url: service.url }).getConfig();
    expect(answer).toEqual(operations.getConfig.answer.parse(config));
  });

  test('may tell more of every item of a list', async () => {
    const service = await startOutsideService(() => ({ json: [{ ...agent, a: 1 }, agent, { ...agent, b: { c: 2 } }] }));
    const { items } = await createLegworkClient({ url: service.url }).listAgents();
    expect(items).toEqual(
      Array.from({ length: 3 }, () => ({
        ...agent,
        earnedLamports: 0n,
        registeredAt: new Date(agent.registeredAt),
      })),
    );
  });

  test('still has to tell what is known', async () => {
    const { capabilities: _left, ...less } = agent;
    const service = await startOutsideService(() => ({ json: [{ ...less, a: 1 }] }));
    const call = createLegworkClient({ url: service.url }).listAgents();
    await expect(call).rejects.toThrow(LegworkProtocolError);
  });

  test('may list events of types that are new: those that are known are given, in their order (S-91)', async () => {
    const known = [9, 7, 4].map((seq) => ({ ...withdrawn, seq }));
    const [first, second, third] = known;
    const service = await startOutsideService(() => ({
      json: [{ ...withdrawn, type: 'RAIN', seq: 10 }, first, { ...second, why: 'rain' }, { type: 'SUN' }, third],
    }));
    const { items } = await createLegworkClient({ url: service.url }).listEvents();
    expect(items).toEqual(known.map((event) => ({ ...event, occurredAt: new Date(event.occurredAt) })));
  });

  test('still has to say of what type an event is', async () => {
    const { type: _type, ...untold } = withdrawn;
    const service = await startOutsideService(() => ({ json: [untold] }));
    await expect(createLegworkClient({ url: service.url }).listEvents()).rejects.toThrow(LegworkProtocolError);
  });

  test('may tell more in its events', () => {
    const decoded = decodeKnown(eventFrame, { ...withdrawn, why: 'rain' });
    expect(decoded.data).toEqual({ ...withdrawn, occurredAt: new Date(agent.registeredAt) });
  });
});
