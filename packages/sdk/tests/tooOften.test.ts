import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { createLegworkClient } from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';

const PACKAGE_ID = '01900000-0000-7000-8000-000000000001';
const problem = { code: 'rate_limited', detail: '20 bids a minute' };
const places = { pickupLat: 52.5, pickupLng: 13.4, dropoffLat: 52.4, dropoffLng: 13.5 };

/** Refuses so many requests with 429, then takes them. */
function refusing(times: number, headers: Record<string, string>, answer: { status?: number; json: unknown }) {
  let left = times;
  return startOutsideService(() => {
    left -= 1;
    return left < 0 ? answer : { status: 429, headers, json: problem };
  });
}

describe('a service that was asked too often', () => {
  test('is asked again when it says, with a signature of its own each time, also to write', async () => {
    const signer = await generateKeyPairSigner();
    const service = await refusing(
      2,
      { 'retry-after': '0' },
      { status: 409, json: { code: 'deadline_passed', detail: 'x' } },
    );
    const client = createLegworkClient({ url: service.url, signer });
    const ids = { packageId: PACKAGE_ID, agentPubkey: signer.address };
    const bid = client.submitBid({ ...ids, ...places, distanceKm: 15, estimatedDurationMin: 30, costSol: 0.1 });
    await expect(bid).rejects.toMatchObject({ code: 'deadline_passed' });
    const nonces = service.received.map(({ headers }) => headers['x-nonce']);
    expect(nonces).toHaveLength(3);
    expect(new Set(nonces).size).toBe(3);
  });

  test('does not use up the attempts that a GET has', async () => {
    const service = await refusing(4, { 'retry-after': '0' }, { json: { status: 'ok' } });
    await expect(createLegworkClient({ url: service.url }).getHealth()).resolves.toEqual({ status: 'ok' });
  });

  test('is not waited for longer than a call is patient', async () => {
    const service = await refusing(9, { 'retry-after': '66' }, { json: { status: 'ok' } });
    const call = createLegworkClient({ url: service.url }).getHealth();
    await expect(call).rejects.toMatchObject({ code: 'rate_limited', status: 429, retryAfterSec: 66 });
    expect(service.received).toHaveLength(1);
  });

  test('is waited for so long in all, not each time', async () => {
    const service = await refusing(99, { 'retry-after': '0' }, { json: { status: 'ok' } });
    const call = createLegworkClient({ url: service.url, patienceMs: 700 }).getHealth();
    await expect(call).rejects.toMatchObject({ code: 'rate_limited' });
    expect(service.received).toHaveLength(4);
  });

  test.each([{}, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }])(
    'and does not say for how many seconds is not asked again',
    async (headers) => {
      const service = await refusing(9, { ...headers }, { json: { status: 'ok' } });
      const call = createLegworkClient({ url: service.url }).getHealth();
      await expect(call).rejects.toMatchObject({ code: 'rate_limited', retryAfterSec: undefined });
      expect(service.received).toHaveLength(1);
    },
  );
});

test('a call is signed once more in the time of a service that refuses the time of this machine (S-214)', async () => {
  const signer = await generateKeyPairSigner();
  const serviceMs = Date.parse('2026-11-28T12:00:00Z');
  const stale = { code: 'stale_nonce', detail: 'too far' };
  const service = await startOutsideService(({ headers }) => {
    const isInTime = Math.abs(Number(String(headers['x-nonce']).split('-')[0]) - serviceMs) < 60_000;
    const refusal = isInTime ? { code: 'not_found', detail: 'x' } : stale;
    return { status: isInTime ? 404 : 401, headers: { date: new Date(serviceMs).toUTCString() }, json: refusal };
  });
  const client = createLegworkClient({ url: service.url, signer });
  const ask = () => client.listEvidence({ legId: PACKAGE_ID });
  await expect(ask()).rejects.toMatchObject({ code: 'not_found' });
  expect(service.received).toHaveLength(2);
  // It stays with the service's time.
  await expect(ask()).rejects.toMatchObject({ code: 'not_found' });
  expect(service.received).toHaveLength(3);
});

test('a signer that took too long, by a clock that is right, is not asked again (S-214)', async () => {
  const signer = await generateKeyPairSigner();
  const service = await startOutsideService(() => ({
    status: 401,
    headers: { date: new Date().toUTCString() },
    json: { code: 'stale_nonce', detail: 'too far' },
  }));
  const client = createLegworkClient({ url: service.url, signer });
  await expect(client.listEvidence({ legId: PACKAGE_ID })).rejects.toMatchObject({ code: 'stale_nonce' });
  expect(service.received).toHaveLength(1);
});
