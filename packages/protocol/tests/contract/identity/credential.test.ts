import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CREDENTIAL_LIFETIME_SEC,
  credentialClaims,
  credentialPayload,
} from '../../../src/contract/identity/credential.js';
import type { CredentialPayload } from '../../../src/contract/identity/credential.js';
import { didOf } from '../../../src/contract/identity/did.js';
import {
  checkCredential,
  CREDENTIAL_REFUSALS,
  judgeCredential,
  parseCredential,
} from '../../../src/contract/identity/verification.js';
import { formatPubkey } from '../../../src/contract/pubkey.js';
import {
  agent,
  check,
  encode,
  header,
  ISSUED,
  issuer,
  jwt,
  keyOf,
  otherSeed,
  parts,
  payload,
  sign,
  signJson,
  signText,
} from './exampleCredential.js';

function without(claim: keyof CredentialPayload): object {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => name !== claim));
}

describe('the claims of a credential', () => {
  it('(M-63) are those of the table, of whole seconds', () => {
    const iss = `did:svc:${issuer}`;
    const sub = `did:svc:${agent}`;
    expect(JSON.stringify(header)).toBe(`{"alg":"EdDSA","typ":"JWT","kid":"${iss}#key-1"}`);
    expect(payload).toEqual({
      iss,
      sub,
      iat: ISSUED,
      nbf: ISSUED,
      exp: ISSUED + 86_400,
      jti: 'urn:uuid:0189dcd5-5311-7d40-8db0-9496a2eef37b',
      vc: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiableCredential', 'SvcReputationCredential'],
        issuer: iss,
        issuanceDate: '2026-05-11T00:00:00.000Z',
        credentialSubject: {
          id: sub,
          legsAccepted: 12,
          legsCompleted: 11,
          reliabilityScore: 91,
          onChainPDA: parts.reputation.onChainPDA,
          mirroredAt: '2026-05-10T23:59:59.250Z',
        },
      },
    });
  });

  it('(M-63) need keys that have a DID, and a UUID', () => {
    expect(() => credentialClaims({ ...parts, agentPubkey: '1'.repeat(32) })).toThrow('has no DID');
    expect(() => credentialClaims({ ...parts, issuerPubkey: 'x' })).toThrow('has no DID');
    expect(() => credentialClaims({ ...parts, id: parts.id.toUpperCase() })).toThrow('UUID');
  });

  it('(M-63) come back from every credential that is signed', () => {
    const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    const fields = fc.record({
      own: secret,
      subject: secret,
      legsAccepted: count,
      legsCompleted: count,
      reliabilityScore: fc.nat({ max: 100 }),
      onChainPDA: secret.map(formatPubkey),
      mirroredAtMs: fc.nat({ max: 4e12 }),
      issuedAtMs: fc.nat({ max: 4e12 }),
      id: fc.uuid(),
    });
    fc.assert(
      fc.property(fields, ({ own, subject, mirroredAtMs, issuedAtMs, id, ...reputation }) => {
        const made = credentialClaims({
          issuerPubkey: keyOf(own),
          agentPubkey: keyOf(subject),
          reputation: { ...reputation, mirroredAt: new Date(mirroredAtMs) },
          id,
          issuedAtMs,
        });
        const policy = { issuerPubkeys: [issuer, keyOf(own)], nowMs: issuedAtMs };
        expect(checkCredential(sign(made.header, made.payload, own), policy)).toEqual({
          valid: true,
          payload: made.payload,
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('the issuer of a credential', () => {
  it('(M-64) is one that the verifier knows', () => {
    const stranger = keyOf(otherSeed);
    const made = credentialClaims({ ...parts, issuerPubkey: stranger });
    const text = sign(made.header, made.payload, otherSeed);
    expect(check(text)).toBe('unknown_issuer');
    expect(checkCredential(text, { issuerPubkeys: [issuer, stranger], nowMs: parts.issuedAtMs }).valid).toBe(true);
    expect(checkCredential(jwt, { issuerPubkeys: [], nowMs: parts.issuedAtMs })).toEqual({
      valid: false,
      reason: 'unknown_issuer',
    });
  });

  it('(M-64) signs with its own key: no other known issuer can sign in its name', () => {
    const forged = sign(header, payload, otherSeed);
    const policy = { issuerPubkeys: [issuer, keyOf(otherSeed)], nowMs: parts.issuedAtMs };
    expect(checkCredential(forged, policy)).toEqual({ valid: false, reason: 'bad_signature' });
  });

  it('(M-64) is unknown when it is no DID at all', () => {
    for (const iss of ['', 'https://relay.example', `did:sol:${issuer}`, `did:svc:${'1'.repeat(32)}`]) {
      const claims = { ...payload, iss, vc: { ...payload.vc, issuer: iss } };
      expect(check(sign({ ...header, kid: `${iss}#key-1` }, claims))).toBe('unknown_issuer');
    }
  });
});

describe('the claims that are checked', () => {
  const withVc = (change: object) => ({ ...payload, vc: { ...payload.vc, ...change } });
  const withSubject = (change: object) => withVc({ credentialSubject: { ...payload.vc.credentialSubject, ...change } });

  it.each([
    ['no issuer', without('iss')],
    ['no subject', without('sub')],
    ['no iat', without('iat')],
    ['no nbf', without('nbf')],
    ['no jti', without('jti')],
    ['no vc', without('vc')],
    ['an issuer that is no text', { ...payload, iss: [payload.iss] }],
    ['a subject that is no DID', { ...payload, sub: 'ada' }],
    ['an iat as text', { ...payload, iat: String(ISSUED) }],
    ['an exp as text', { ...payload, exp: String(ISSUED) }],
    ['an exp of null', { ...payload, exp: null }],
    ['an exp beyond exact numbers', { ...payload, exp: 1e300 }],
    ['a negative nbf', { ...payload, nbf: -1 }],
    ['a fraction of a second', { ...payload, nbf: ISSUED + 0.5 }],
    ['a jti that is no UUID', { ...payload, jti: 'urn:uuid:1' }],
    ['another issuer in vc', withVc({ issuer: payload.sub })],
    ['another type', withVc({ type: ['VerifiableCredential'] })],
    ['no W3C context', withVc({ '@context': [] })],
    ['a count as text', withSubject({ legsAccepted: '12' })],
    ['a score above 100', withSubject({ reliabilityScore: 101 })],
  ])('(M-64) are malformed with %s, even signed', (_what, claims) => {
    expect(check(sign(header, claims))).toBe('malformed');
  });

  it('(M-64) are malformed when a name comes twice, however it is written', () => {
    const json = JSON.stringify(payload);
    const head = JSON.stringify(header);
    expect(check(signJson(head, json))).toBe('valid');
    expect(check(signJson(head, json.replace('"exp":', '"exp":9999999999,"exp":')))).toBe('malformed');
    expect(check(signJson(head, json.replace('"exp":', '"\\u0065xp":9999999999,"exp":')))).toBe('malformed');
    expect(check(signJson(head, json.replace('"legsAccepted":', '"legsAccepted":99,"legsAccepted":')))).toBe(
      'malformed',
    );
    expect(check(signJson(head.replace('{', '{"alg":"none",'), json))).toBe('malformed');
    // The same name in two objects, and names within texts, are no repetition.
    expect(check(sign(header, { ...payload, note: '{"a":1,"a":2}', list: [{ a: 1 }, { a: { a: '\\"' } }] }))).toBe(
      'valid',
    );
  });

  it('(M-64) may be written with white space: only the bytes that were signed count', () => {
    expect(check(signJson(JSON.stringify(header, null, 1), JSON.stringify(payload, null, '\t')))).toBe('valid');
  });

  it('(M-64) are not changed by names that mean something to objects', () => {
    const strange = JSON.stringify({ ...payload, constructor: 1, toString: 'x', hasOwnProperty: null });
    const text = signJson(JSON.stringify(header), strange.replace('{', '{"__proto__":{"exp":1,"polluted":true},'));
    const checked = checkCredential(text, { issuerPubkeys: [issuer], nowMs: parts.issuedAtMs });
    expect(checked).toMatchObject({ valid: true, payload: { exp: payload.exp, constructor: 1 } });
    expect(Object.getPrototypeOf({})).not.toHaveProperty('polluted');
    const proto = `{"__proto__":${JSON.stringify(payload)}}`;
    expect(check(signJson(JSON.stringify(header), proto))).toBe('malformed');
    expect(check(signJson(`{"__proto__":${JSON.stringify(header)}}`, JSON.stringify(payload)))).toBe('malformed');
  });

  it('(M-64) pass when they say more than is known', () => {
    const more = { ...withSubject({ rating: 5 }), aud: 'x' };
    expect(credentialPayload.parse(more)).toEqual(more);
    expect(check(sign(header, more))).toBe('valid');
  });

  it('(M-64) may be nested deeply', () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const text = signJson(JSON.stringify(header), JSON.stringify(payload).replace('{', `{"deep":${deep},`));
    expect(check(text)).toBe('valid');
    expect(check(signJson(JSON.stringify(header), '['.repeat(12_000)))).toBe('malformed');
  });
});

describe('the time of a credential', () => {
  it('(M-64) begins at nbf, with a minute of grace', () => {
    expect(check(jwt, ISSUED - 60)).toBe('valid');
    expect(check(jwt, ISSUED - 60.001)).toBe('not_yet_valid');
  });

  it('(M-64) ends at exp, without grace', () => {
    expect(check(jwt, ISSUED + CREDENTIAL_LIFETIME_SEC - 0.001)).toBe('valid');
    expect(check(jwt, ISSUED + CREDENTIAL_LIFETIME_SEC)).toBe('expired');
  });

  it('(M-64) has no end without exp, but for the age that the verifier allows', () => {
    const open = sign(header, without('exp'));
    expect(check(open, ISSUED + 1e9)).toBe('valid');
    expect(check(open, ISSUED + 3600, 3600)).toBe('valid');
    expect(check(open, ISSUED + 3600.001, 3600)).toBe('too_old');
    expect(check(jwt, ISSUED + 10, 9)).toBe('too_old');
  });
});

describe('the reason of a refusal', () => {
  // Each of these has the fault of its name and every later one, so that only the order decides.
  const late = { nowMs: (ISSUED + 1000) * 1000, maxAgeSec: 1 };
  const base = { ...payload, nbf: ISSUED + 5000, exp: ISSUED + 500 };
  const subject = { ...base, sub: payload.iss };
  const stranger = didOf(keyOf(otherSeed));
  const foreign = { ...subject, iss: stranger, vc: { ...subject.vc, issuer: stranger } };
  const cases: Record<(typeof CREDENTIAL_REFUSALS)[number], string> = {
    malformed: signText(`${encode(JSON.stringify({ ...header, alg: 'none' }))}.${encode('{}')}`, otherSeed),
    unsupported_alg: sign({ ...header, alg: 'none' }, foreign, new Uint8Array(32).fill(14)),
    unknown_issuer: sign({ ...header, kid: `${stranger}#key-1` }, foreign, new Uint8Array(32).fill(14)),
    bad_signature: sign(header, subject, otherSeed),
    subject_mismatch: sign(header, subject),
    not_yet_valid: sign(header, base),
    expired: sign(header, { ...base, nbf: ISSUED }),
    too_old: sign(header, { ...base, nbf: ISSUED, exp: undefined }),
  };

  it.each(CREDENTIAL_REFUSALS)('(M-64) is the first of the list that applies: %s', (reason) => {
    expect(checkCredential(cases[reason], { issuerPubkeys: [issuer], ...late })).toEqual({ valid: false, reason });
  });

  it('(M-64) of claims alone is judged without the text', () => {
    expect(judgeCredential(payload, { nowMs: ISSUED * 1000 })).toBeUndefined();
    expect(judgeCredential(payload, late)).toBe('too_old');
  });

  it('(M-64) is known before anybody is asked about the issuer', () => {
    expect(parseCredential(jwt)).toMatchObject({ issuerPubkey: issuer, payload });
    expect(parseCredential('a.b')).toBe('malformed');
  });
});
