import { createHash } from 'node:crypto';
import { createUuid, toLamports } from '@legwork/protocol/contract';
import { parseClaimsCsv } from '@legwork/protocol/rules';
import { createLegworkClient, everyItem } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { refused } from '../digitalTasks/scene.js';
import { attempt, post, refusedWith } from '../../support/refusal.js';
import { type TestService, withService } from '../../support/service.js';
import { changesBetween, snapshot } from '../../support/snapshot.js';
import { ADMIN_KEY, anySignature, claimRow, insertClaims, REWARDS } from './scene.js';

const logged: string[] = [];
const service = withService({
  settings: () => ({ ...REWARDS.settings(), LOG_LEVEL: 'trace' }),
  logTo: { write: (line) => void logged.push(line) },
});
const keyless = withService({ settings: () => ({ ...REWARDS.settings(), ADMIN_KEY: '' }) });

const organiser = (at: TestService = service.current) =>
  createLegworkClient({ url: at.server.url, adminKey: ADMIN_KEY });

function download(headers: Record<string, string> = { 'x-admin-key': ADMIN_KEY }): Promise<Response> {
  return fetch(`${service.current.server.url}/reward-claims/export.csv`, { headers });
}

/** A claim of so many lamports; its id. */
async function claimOf(lamports: bigint, changes: object = {}): Promise<string> {
  const row = claimRow({ earnings_lamports: toLamports(lamports), ...changes });
  await insertClaims(service.current.db, [row]);
  return row.id;
}

describe('the export', () => {
  test('has every claim in the order of the list, and the same bytes each time (M-68, S-68)', async () => {
    for (let index = 0; index < 60; index += 1) await claimOf(BigInt(index % 4) * 1000n);
    const responses = [
      await download(),
      await download(),
      await download({ 'x-admin-key': ADMIN_KEY, accept: 'text/csv' }),
    ];
    const [first, ...others] = await Promise.all(responses.map(async (one) => Buffer.from(await one.arrayBuffer())));
    if (first === undefined) throw new Error('three answers');
    for (const other of others) expect(other.equals(first)).toBe(true);
    const digest = createHash('sha256').update(first);
    for (const response of responses) {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(response.headers.get('repr-digest')).toBe(`sha-256=:${digest.copy().digest('base64')}:`);
    }
    const listed = [];
    const page = (input: { limit: number; cursor?: string }) => organiser().listRewardClaims(input);
    for await (const { id: _, explorer: _link, ...claim } of everyItem(page, { limit: 7 })) {
      listed.push(claim);
    }
    expect(listed.length).toBeGreaterThanOrEqual(60);
    expect(parseClaimsCsv(first.toString())).toEqual(listed);

    const told = await organiser().exportRewardClaims();
    expect(told).toEqual({ csv: first.toString(), sha256: digest.digest('hex'), claims: listed.length });
  });

  test('holds more claims than are read at once', async () => {
    await insertClaims(
      service.current.db,
      Array.from({ length: 2500 }, (_, index) => claimRow({ earnings_lamports: toLamports(BigInt(index % 7)) })),
    );
    const { csv, sha256, claims } = await organiser().exportRewardClaims();
    expect(sha256).toBe(createHash('sha256').update(csv).digest('hex'));
    const stored = await service.current.db.selectFrom('reward_claims').select('devnet_pubkey').execute();
    const exported = parseClaimsCsv(csv).map(({ devnetPubkey }) => devnetPubkey);
    expect(exported.toSorted()).toEqual(stored.map((row) => row.devnet_pubkey).toSorted());
    expect(claims).toBe(stored.length);
  });

  test('changes when a claim is paid (S-68)', async () => {
    const claimId = await claimOf(1_000_000n);
    const before = await organiser().exportRewardClaims();
    const signature = anySignature();
    await organiser().markRewardClaimPaid({ claimId, signature });
    const after = await organiser().exportRewardClaims();
    expect(after.sha256).not.toBe(before.sha256);
    expect(after.csv).toContain(signature);
  });
});

describe('a payout', () => {
  test('is noted once, with when and a link to mainnet; the same again is the same (M-68)', async () => {
    const claimId = await claimOf(5_000_000n);
    const signature = anySignature();
    const paid = await organiser().markRewardClaimPaid({ claimId, signature });
    expect(paid).toMatchObject({
      id: claimId,
      devnetEarningsLamports: 5_000_000n,
      paidSignature: signature,
      explorer: { paidSignature: `https://explorer.solana.com/tx/${signature}` },
    });
    expect(paid.paidAt).toBeInstanceOf(Date);
    expect(await organiser().markRewardClaimPaid({ claimId, signature })).toEqual(paid);
    const refusal = await refused(service.current, () =>
      organiser().markRewardClaimPaid({ claimId, signature: anySignature() }),
    );
    expect(refusal).toMatchObject({ status: 409, code: 'already_paid', fields: ['signature'] });
  });

  test('of several claims may be one transaction (M-68)', async () => {
    const claims = [await claimOf(5_000_000n), await claimOf(6_000_000n)];
    const signature = anySignature();
    const paid = await Promise.all(claims.map((claimId) => organiser().markRewardClaimPaid({ claimId, signature })));
    expect(paid.map(({ paidSignature }) => paidSignature)).toEqual([signature, signature]);
  });

  test('noted twice at once with two signatures counts once (M-68)', async () => {
    const claimId = await claimOf(5_000_000n);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => organiser().markRewardClaimPaid({ claimId, signature: anySignature() })),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refusals).toMatchObject(Array.from({ length: 7 }, () => ({ code: 'already_paid' })));
  });

  test('is not for a claim of 0, and not for one that is not there (M-67)', async () => {
    const mark = (claimId: string) =>
      refused(service.current, () => organiser().markRewardClaimPaid({ claimId, signature: anySignature() }));
    expect(await mark(await claimOf(0n))).toMatchObject({ status: 409, code: 'invalid_status', fields: ['claimId'] });
    expect(await mark(createUuid())).toMatchObject({ status: 404, code: 'not_found', fields: ['claimId'] });
  });
});

describe('the key of the organiser', () => {
  const WRONG: [what: string, headers: Record<string, string>][] = [
    ['none', {}],
    ['another', { 'x-admin-key': `${ADMIN_KEY}.` }],
    ['a part of it', { 'x-admin-key': ADMIN_KEY.slice(0, -1) }],
    ['an empty one', { 'x-admin-key': '' }],
    ['one in another header', { 'x-api-key': ADMIN_KEY }],
  ];

  test.each(WRONG)('has to be sent: with %s nothing is shown or changed (S-68)', async (_what, headers) => {
    const claimId = await claimOf(5_000_000n);
    const unknown = refusedWith({ status: 401, code: 'admin_key_required', fields: [], says: /Send X-Admin-Key/ });
    expect(await attempt(service.current, [], () => download(headers))).toEqual(unknown);
    const mark = () => post(service.current, `/reward-claims/${claimId}/paid`, { signature: anySignature() }, headers);
    expect(await attempt(service.current, [], mark)).toEqual(unknown);
  });

  test('comes before the form of the request, so that a stranger learns nothing (S-68)', async () => {
    const send = () => post(service.current, '/reward-claims/nonsense/paid', { nonsense: true });
    expect(await attempt(service.current, [], send)).toMatchObject({ status: 401, code: 'admin_key_required' });
  });

  test('is nobody where the service has none, and the refusal says so (S-68)', async () => {
    const before = await snapshot(keyless.current);
    for (const headers of [{}, { 'x-admin-key': ADMIN_KEY }, { 'x-admin-key': '' }, { 'x-admin-key': 'undefined' }]) {
      const response = await fetch(`${keyless.current.server.url}/reward-claims/export.csv`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        code: 'admin_key_required',
        detail: 'This service has no ADMIN_KEY configured, so nobody may do this.',
      });
    }
    expect(changesBetween(before, await snapshot(keyless.current))).toEqual([]);
  });

  test('is in no log, right or wrong (S-68)', async () => {
    await download();
    await download({ 'x-admin-key': 'a wrong key that somebody mistyped' });
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.filter((line) => line.includes(ADMIN_KEY) || line.includes('mistyped'))).toEqual([]);
  });

  test('is in the description of what it is for, and of nothing else', async () => {
    const { paths } = (await (await fetch(`${service.current.server.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; security: object[] }>>;
    };
    const guarded = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ security }) => security.some((one) => 'adminKey' in one));
    expect(guarded.map(({ operationId }) => operationId).toSorted()).toEqual([
      'exportRewardClaims',
      'markRewardClaimPaid',
    ]);
  });
});
