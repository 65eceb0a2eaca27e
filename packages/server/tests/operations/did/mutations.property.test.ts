import fc from 'fast-check';
import { beforeAll, expect, inject, test } from 'vitest';
import { post } from '../../support/refusal.js';
import { withService } from '../../support/service.js';
import { changesBetween, snapshot, untilQuiet } from '../../support/snapshot.js';
import { credentialOf, expiredCredential, issuerOf, provenAgent } from './scene.js';

/** The protocol's own tests try 5,000 more on the verification alone. */
const BATCH = inject('lane') === 'slow' ? 2_500 : 300;
const AT_ONCE = 50;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');

const service = withService();

/** Credentials of ours, valid and expired: were one of them accepted after a change, something would be forged. */
let originals: readonly string[];
beforeAll(async () => {
  const agent = await provenAgent(service.current);
  const issuer = await issuerOf(service.current);
  originals = [await credentialOf(service.current, agent.pubkey), await expiredCredential(issuer, agent.pubkey)];
});

const HEADERS = [
  '{"alg":"none","typ":"JWT"}',
  '{"alg":"HS256","typ":"JWT"}',
  '{"alg":"ES256","typ":"JWT"}',
  '{"alg":"EdDSA","typ":"JWT","kid":"did:svc:11111111111111111111111111111111#key-1"}',
  '{"alg":"EdDSA","alg":"none"}',
  '{}',
  '[]',
  'null',
];

const ENDINGS = ['=', '==', '.', '.e30', ' ', '\n', 'A'.repeat(9_000)];

type Change = (jwt: string) => string;

/** A place in the text, as a share of its length. */
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const character = fc.constantFrom(...ALPHABET, '.', '=', '+', '/', ' ', '\u0000', 'é', '😀');

/** Other text in place of so many characters somewhere. */
function replaced(where: number, length: number, text: string): Change {
  return (jwt) => {
    const from = Math.floor(where * jwt.length);
    return jwt.slice(0, from) + text + jwt.slice(from + length);
  };
}

/** Other bytes as one of the three parts. */
function otherPart(index: number, bytes: string | Uint8Array): Change {
  const text = Buffer.from(bytes).toString('base64url');
  return (jwt) => Array.from({ length: 3 }, (_, part) => (part === index ? text : jwt.split('.')[part])).join('.');
}

/** Another end, in place of so many characters. */
function ended(cut: number, end: string): Change {
  return (jwt) => jwt.slice(0, jwt.length - cut) + end;
}

function otherText(text: string): Change {
  return () => text;
}

const changes = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(place, fc.nat({ max: 2 }), character).map((change) => replaced(...change)) },
  { weight: 2, arbitrary: fc.tuple(place, fc.nat({ max: 800 })).map(([from, length]) => replaced(from, length, '')) },
  // The unused bits of the last character.
  { weight: 1, arbitrary: fc.constantFrom(...ALPHABET).map((to) => ended(1, to)) },
  { weight: 1, arbitrary: fc.constantFrom(...ENDINGS).map((end) => ended(0, end)) },
  { weight: 1, arbitrary: fc.constantFrom(...HEADERS).map((header) => otherPart(0, header)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }).map((payload) => otherPart(1, payload)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 80 }).map((signature) => otherPart(2, signature)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }).map(otherText) },
);

/** A credential of which something was changed; the same one again is none. */
const mutant = fc
  .tuple(fc.nat({ max: 1 }), fc.array(changes, { minLength: 1, maxLength: 3 }))
  .map(([which, all]) => all.reduce((jwt, change) => change(jwt), originals[which] ?? ''))
  .filter((jwt) => !originals.includes(jwt));

test('of many changed credentials none is accepted, none fails here, none changes anything (M-64, M-65)', {
  timeout: 90_000,
}, async () => {
  await untilQuiet(service.current);
  const before = await snapshot(service.current);
  const mutants = fc.sample(mutant, { numRuns: BATCH, seed: 1 });
  const reasons = new Map<string, number>();
  for (let from = 0; from < BATCH; from += AT_ONCE) {
    const verdicts = mutants.slice(from, from + AT_ONCE).map(async (jwt) => {
      const response = await post(service.current, '/did/verify', { jwt });
      const answer = (await response.json()) as { valid?: boolean; reason?: string; code?: string };
      // Refused as a credential, or, when it is too long for one, as input.
      const refused = answer.code === 'invalid_input' ? { status: 400 } : { status: 200, valid: false };
      expect({ jwt, status: response.status, ...answer }).toMatchObject({ jwt, ...refused });
      const kind = answer.reason ?? answer.code ?? '';
      reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
    });
    await Promise.all(verdicts);
  }
  expect(changesBetween(before, await snapshot(service.current))).toEqual([]);
  // Changes of every part are among them; nobody was told that a changed one has expired.
  expect([...reasons.keys()].sort()).toEqual(['bad_signature', 'malformed', 'unknown_issuer', 'unsupported_alg']);
});
