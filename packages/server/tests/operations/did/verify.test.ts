import { generateKeyPairSigner } from '@solana/kit';
import type { KeyPairSigner } from '@solana/kit';
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { post } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../../support/snapshot.js';
import {
  credentialOf,
  decoded,
  expiredCredential,
  HOUR_MS,
  issuedAt,
  issuerOf,
  provenAgent,
  signedJwt,
  type Verdict,
  verify,
} from './scene.js';

const service = withService();

let agent: Party;
let issuer: KeyPairSigner;
let stranger: KeyPairSigner;
/** A valid credential, taken apart. */
let good: { jwt: string; header: Record<string, unknown>; payload: Record<string, unknown>; parts: string[] };

beforeAll(async () => {
  agent = await provenAgent(service.current);
  [issuer, stranger] = await Promise.all([issuerOf(service.current), generateKeyPairSigner()]);
  const jwt = await credentialOf(service.current, agent.pubkey);
  good = { jwt, ...decoded(jwt), parts: jwt.split('.') };
});
afterEach(() => service.current.db.deleteFrom('trust_events').execute());

/** The verdict on a credential that must leave everything as it was. */
async function harmless(jwt: string, maxAgeSec?: number): Promise<Verdict> {
  await untilQuiet(service.current);
  const before = await snapshot(service.current);
  const verdict = await verify(service.current, jwt, maxAgeSec);
  expect(changesBetween(before, await snapshot(service.current))).toEqual([]);
  return verdict;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const events = () => service.current.db.selectFrom('trust_events').selectAll().orderBy('jti').execute();

describe('what is no credential of ours', () => {
  const forgeries: [string, string, () => string | Promise<string>][] = [
    ['empty', 'malformed', () => ''],
    ['words', 'malformed', () => 'hello'],
    ['two parts', 'malformed', () => good.parts.slice(0, 2).join('.')],
    ['truncated', 'bad_signature', () => good.jwt.slice(0, -2)],
    ['padded', 'malformed', () => `${good.jwt}==`],
    ['with white space', 'malformed', () => `${good.jwt}\n`],
    ['with a fourth part', 'malformed', () => `${good.jwt}.e30`],
    ['alg none, unsigned', 'unsupported_alg', () => `${encode({ ...good.header, alg: 'none' })}.${good.parts[1]}.`],
    [
      'alg HS256',
      'unsupported_alg',
      () => `${encode({ ...good.header, alg: 'HS256' })}.${good.parts[1]}.${good.parts[2]}`,
    ],
    ['with a key of its own', 'malformed', () => signedJwt(stranger, { ...good.header, jwk: {} }, good.payload)],
    ['with extensions', 'malformed', () => signedJwt(issuer, { ...good.header, crit: ['exp'] }, good.payload)],
    ['of another issuer', 'unknown_issuer', () => issuedAt(stranger, agent.pubkey, Date.now())],
    [
      'of another issuer, with a broken signature',
      'unknown_issuer',
      async () => {
        const [header, payload] = (await issuedAt(stranger, agent.pubkey, Date.now())).split('.');
        return `${header}.${payload}.${good.parts[2]}`;
      },
    ],
    [
      'kid of another key',
      'unknown_issuer',
      () => signedJwt(issuer, { ...good.header, kid: `did:svc:${stranger.address}#key-1` }, good.payload),
    ],
    ['signed by another key', 'bad_signature', () => signedJwt(stranger, good.header, good.payload)],
    ['changed', 'bad_signature', () => `${good.parts[0]}.${encode({ ...good.payload, nbf: 1 })}.${good.parts[2]}`],
    [
      'another subject',
      'subject_mismatch',
      () => issuedAt(issuer, agent.pubkey, Date.now(), { sub: `did:svc:${stranger.address}` }),
    ],
    ['of the future', 'not_yet_valid', () => issuedAt(issuer, agent.pubkey, Date.now() + HOUR_MS)],
  ];

  test.each(forgeries)('%s: %s, and nothing changes (M-64)', async (_, reason, make) => {
    expect(await harmless(await make())).toEqual({ valid: false, reason });
  });

  test.each([
    ['unknown_issuer', 'unknown issuer before the signature', { of: 'stranger', signature: 'bad', age: 25 }],
    ['bad_signature', 'the signature before what is claimed', { of: 'issuer', signature: 'bad', age: 25 }],
  ] as const)('%s comes first: %s (M-64)', async (reason, _, { of, age }) => {
    const jwt = await issuedAt(of === 'issuer' ? issuer : stranger, agent.pubkey, Date.now() - age * HOUR_MS);
    expect(await harmless(`${jwt.slice(0, -4)}AAAA`)).toEqual({ valid: false, reason });
  });

  test('too long: refused as input, before it is looked at (S-65)', async () => {
    const response = await post(service.current, '/did/verify', { jwt: `${good.jwt}${'A'.repeat(16_384)}` });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_input', errors: [{ field: 'jwt' }] });
  });

  test('as deep and as long as it may be: malformed (S-65)', async () => {
    const deep = `${'['.repeat(6_000)}${']'.repeat(6_000)}`;
    const jwt = `${good.parts[0]}.${Buffer.from(`{"a":${deep}}`).toString('base64url')}`.slice(0, 16_297);
    expect(await harmless(`${jwt}.${good.parts[2]}`)).toMatchObject({ valid: false });
    expect(await harmless('.'.repeat(16_384))).toEqual({ valid: false, reason: 'malformed' });
  });

  test('with members that mean something to JavaScript: judged by its signature alone (M-64)', async () => {
    const payload = `{"__proto__":{"exp":1},"constructor":1,${JSON.stringify(good.payload).slice(1)}`;
    const jwt = `${good.parts[0]}.${Buffer.from(payload).toString('base64url')}.${good.parts[2]}`;
    expect(await harmless(jwt)).toEqual({ valid: false, reason: 'bad_signature' });
  });
});

test('nothing asks the database before the signature is verified (M-64)', async () => {
  const context = await service.current.context();
  const { verifyCredential } = await import('../../../src/identity/credentials.js');
  const expired = await expiredCredential(issuer, agent.pubkey);
  const foreign = await issuedAt(stranger, agent.pubkey, Date.now());
  await context.db.destroy();
  const ask = (jwt: string) => verifyCredential(context, { jwt });
  for (const jwt of ['', good.jwt.slice(1), `${expired.slice(0, -4)}AAAA`, `${foreign.slice(0, -4)}AAAA`]) {
    expect((await ask(jwt)).answer).toMatchObject({ valid: false });
  }
  expect((await ask(good.jwt)).answer).toMatchObject({ valid: true });
  // A good signature may be worth a question.
  await expect(ask(foreign)).rejects.toThrow(/destroyed/);
});

describe('a credential of ours', () => {
  test('may be older than the verifier likes (M-64)', async () => {
    const jwt = await issuedAt(issuer, agent.pubkey, Date.now() - 2 * HOUR_MS);
    expect(await harmless(jwt, 7_100)).toEqual({ valid: false, reason: 'too_old' });
    expect(await harmless(jwt, 7_300)).toMatchObject({ valid: true });
  });

  test('of the earlier edition has no exp, and is judged by its age alone (M-64)', async () => {
    const jwt = await issuedAt(issuer, agent.pubkey, Date.now() - 1_000 * HOUR_MS, { exp: undefined });
    expect(decoded(jwt).payload.exp).toBeUndefined();
    expect(await harmless(jwt)).toMatchObject({ valid: true });
    expect(await harmless(jwt, 86_400)).toEqual({ valid: false, reason: 'too_old' });
  });

  test('whose header names no key is judged as any other (M-64)', async () => {
    const nameless = (age: number) => {
      const iat = Math.floor(Date.now() / 1000) - age;
      return signedJwt(issuer, { alg: 'EdDSA' }, { ...good.payload, iat, nbf: iat, exp: iat + 86_400 });
    };
    expect(await verify(service.current, await nameless(60))).toMatchObject({ valid: true });
    const expired = { valid: false, reason: 'expired', expired: true };
    expect(await verify(service.current, await nameless(86_401))).toEqual(expired);
    expect(await events()).toHaveLength(1);
  });

  test('that has expired is told so, and noted once however often it is presented (M-65)', async () => {
    const jwt = await expiredCredential(issuer, agent.pubkey);
    const told = { valid: false, reason: 'expired', expired: true };
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => verify(service.current, jwt)));
    expect(verdicts).toEqual(verdicts.map(() => told));
    expect(await verify(service.current, jwt, 60)).toEqual(told);
    expect(await events()).toEqual([
      {
        jti: decoded(jwt).payload.jti,
        agent_pubkey: agent.pubkey,
        type: 'VcExpired',
        adjustment_percent: -10,
        occurred_at: expect.any(Date),
      },
    ]);
  });

  test('that has expired changes nothing else (M-65, S-65)', async () => {
    const jwt = await expiredCredential(issuer, agent.pubkey);
    await untilQuiet(service.current);
    const before = await snapshot(service.current);
    await verify(service.current, jwt);
    expect(changesBetween(before, await snapshot(service.current))).toEqual(['trust_events']);
  });

  test('nobody else can make one that costs anybody trust (M-65)', async () => {
    const [header, payload] = (await expiredCredential(issuer, agent.pubkey)).split('.');
    for (const jwt of [
      await expiredCredential(stranger, agent.pubkey),
      `${header}.${payload}.${good.parts[2]}`,
      await issuedAt(issuer, agent.pubkey, Date.now() - 25 * HOUR_MS, { sub: `did:svc:${stranger.address}` }),
    ]) {
      expect(await harmless(jwt)).toMatchObject({ valid: false });
    }
    expect(await events()).toEqual([]);
  });

  test('is verified with no field but those of the interface (S-65)', async () => {
    for (const body of [
      {},
      { jwt: 1 },
      { jwt: null },
      { jwt: good.jwt, extra: true },
      [good.jwt],
      { jwt: good.jwt, maxAgeSec: 0 },
    ]) {
      expect((await post(service.current, '/did/verify', body)).status).toBe(400);
    }
    expect(await sql`select 1 from trust_events`.execute(service.current.db)).toMatchObject({ rows: [] });
  });
});
