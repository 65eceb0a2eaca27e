import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { getReputationEncoder, reputationAddress } from '@legwork/program-client';
import { type CredentialPayload, credentialClaims, createUuid, signingInputOf } from '@legwork/protocol/contract';
import { reliabilityScore } from '@legwork/protocol/rules';
import { checkAgainstLedger, type LedgerReputation } from '@legwork/sdk';
import {
  address,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  getBase64Decoder,
  getUtf8Encoder,
  type KeyPairSigner,
  signBytes,
} from '@solana/kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import vectors from '../../../protocol/vectors/credentials.json' with { type: 'json' };
import { checkCredential, type CredentialFindings, type CredentialQuestion } from '../../src/checks/credential.js';

const PROGRAM = address('F6rB7szDn4GgiYEbgXr5K8qvCjMKZQQmajYjK52KGct7');
const ISSUED_MS = Date.UTC(2026, 4, 11);
const keyOf = (byte: number) => createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(byte));

let [issuer, former, stranger, agent, other]: KeyPairSigner[] = [];
let node: Server;
/** What the account of the agent holds; undefined: there is none. */
let held: LedgerReputation | undefined;
let isDown = false;

beforeAll(async () => {
  [issuer, former, stranger, agent, other] = await Promise.all([1, 2, 3, 4, 5].map(keyOf));
  node = createServer((incoming, outgoing) => {
    void json(incoming).then((call) => {
      if (isDown) return outgoing.destroy();
      const value = held === undefined ? null : accountOf(held);
      outgoing.setHeader('content-type', 'application/json');
      return outgoing.end(
        JSON.stringify({ jsonrpc: '2.0', id: (call as { id: unknown }).id, result: { context: { slot: 7 }, value } }),
      );
    });
  });
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
});

afterAll(() => {
  node.closeAllConnections();
  node.close();
});

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is made before the tests');
  return value;
}

/** A reputation account as a node of the ledger shows it. */
function accountOf({ legsAccepted, legsCompleted, reliabilityScore: score }: LedgerReputation) {
  const data = getReputationEncoder().encode({
    bump: 255,
    reliabilityScore: score,
    agent: must(agent).address,
    legsAccepted,
    legsCompleted,
  });
  const base64 = getBase64Decoder().decode(data);
  return { data: [base64, 'base64'], owner: PROGRAM, lamports: 1, executable: false, rentEpoch: 0, space: data.length };
}

const askLedger = (payload: CredentialPayload) => {
  const { port } = node.address() as AddressInfo;
  return checkAgainstLedger(createSolanaRpc(`http://127.0.0.1:${port}`), PROGRAM, payload);
};

const figuresOf = (legsAccepted: number, legsCompleted: number): LedgerReputation => ({
  legsAccepted,
  legsCompleted,
  reliabilityScore: reliabilityScore(BigInt(legsCompleted), BigInt(legsAccepted)),
});

/** Figures as an honest ledger has them. */
const figures = fc
  .tuple(fc.nat(10_000), fc.nat(10_000))
  .map(([a, b]): LedgerReputation => figuresOf(Math.max(a, b), Math.min(a, b)));

interface Made {
  readonly said: LedgerReputation;
  readonly signedBy?: KeyPairSigner | undefined;
  readonly issuedBy?: KeyPairSigner | undefined;
  readonly about?: KeyPairSigner | undefined;
  readonly change?: (payload: CredentialPayload) => CredentialPayload;
}

async function jwtOf({ said, issuedBy = issuer, signedBy = issuedBy, about = agent, change = (same) => same }: Made) {
  const { header, payload } = credentialClaims({
    issuerPubkey: must(issuedBy).address,
    agentPubkey: must(about).address,
    reputation: {
      ...said,
      onChainPDA: await reputationAddress(PROGRAM, must(about).address),
      mirroredAt: new Date(ISSUED_MS),
    },
    id: createUuid(),
    issuedAtMs: ISSUED_MS,
  });
  const input = signingInputOf(header, change(payload));
  const signature = await signBytes(must(signedBy).keyPair.privateKey, getUtf8Encoder().encode(input));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}

const question = (jwt: string, shown: LedgerReputation): CredentialQuestion => ({
  jwt,
  agentPubkey: must(agent).address,
  issuerPubkeys: [must(issuer).address, must(former).address],
  shown,
  nowMs: ISSUED_MS + 60_000,
});

const holds = (findings: CredentialFindings) =>
  Object.values(findings).map((finding: object) => ('holds' in finding ? finding.holds : 'not checked'));

const NOT = 'not checked';

describe('a credential that the page verifies', () => {
  test('(D-15) holds in every point when it is honest, by any key of the coordinator', async () => {
    await fc.assert(
      fc.asyncProperty(figures, fc.boolean(), async (said, isFormer) => {
        held = said;
        const jwt = await jwtOf({ said, issuedBy: isFormer ? former : issuer });
        expect(holds(await checkCredential(question(jwt, said), askLedger))).toEqual([true, true, true, true]);
      }),
      { numRuns: 25 },
    );
  });

  test('(D-15) is found out when one of its figures is not that of the account, which the page names', async () => {
    const name = fc.constantFrom('legsAccepted', 'legsCompleted', 'reliabilityScore');
    await fc.assert(
      fc.asyncProperty(figures, name, fc.integer({ min: 1, max: 100 }), async (real, changed, by) => {
        held = real;
        const most = changed === 'reliabilityScore' ? 101 : 20_000;
        const said = { ...real, [changed]: (real[changed] + by) % most };
        const found = await checkCredential(question(await jwtOf({ said }), real), askLedger);
        expect(holds(found)).toEqual([true, true, false, true]);
        expect(found.figures).toMatchObject({
          difference: expect.stringContaining(`${said[changed]}, on the ledger ${real[changed]}`) as string,
        });
      }),
      { numRuns: 50 },
    );
  });

  test('(D-15) is told apart from a page that shows other figures', async () => {
    await fc.assert(
      fc.asyncProperty(figures, figures, async (real, shown) => {
        fc.pre(JSON.stringify(real) !== JSON.stringify(shown));
        held = real;
        const jwt = await jwtOf({ said: real });
        expect(holds(await checkCredential(question(jwt, shown), askLedger))).toEqual([true, true, true, false]);
      }),
      { numRuns: 25 },
    );
  });

  test('(D-15) counts for nothing once a character of it is changed, and the ledger is not asked', async () => {
    held = figuresOf(12, 11);
    const jwt = await jwtOf({ said: held });
    const asked: unknown[] = [];
    const ask = (payload: CredentialPayload) => {
      asked.push(payload);
      return askLedger(payload);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.nat(jwt.length - 1),
        fc.constantFrom('A', 'B', 'x', 'z', '0', '9', '-', '_', '.'),
        async (at, character) => {
          const changed = jwt.slice(0, at) + character + jwt.slice(at + 1);
          fc.pre(changed !== jwt);
          const found = await checkCredential(question(changed, figuresOf(12, 11)), ask);
          expect(holds(found)).toEqual([false, NOT, NOT, NOT]);
        },
      ),
      { numRuns: 200 },
    );
    expect(asked).toEqual([]);
  });

  test.each([
    ['of a stranger', () => ({ issuedBy: stranger })],
    ['signed by a stranger', () => ({ signedBy: stranger })],
    ['signed by a former key in the name of the present one', () => ({ signedBy: former })],
  ])('(D-15) counts for nothing when it is %s', async (_, how) => {
    held = figuresOf(3, 2);
    const jwt = await jwtOf({ said: held, ...how() });
    expect(holds(await checkCredential(question(jwt, held), askLedger))).toEqual([false, NOT, NOT, NOT]);
  });

  test('(D-15) has to be about the agent of the page', async () => {
    held = figuresOf(3, 2);
    const jwt = await jwtOf({ said: held, about: other });
    const found = await checkCredential(question(jwt, held), askLedger);
    expect(holds(found)).toEqual([true, false, NOT, NOT]);
    expect(found.validity).toMatchObject({ difference: `It is about did:svc:${must(other).address}.` });
  });

  test('(D-15) ends by its exp, to the second, and has to have one', async () => {
    held = figuresOf(3, 2);
    const [jwt, endless] = await Promise.all([
      jwtOf({ said: held }),
      jwtOf({
        said: held,
        change: (payload) => JSON.parse(JSON.stringify({ ...payload, exp: undefined })) as CredentialPayload,
      }),
    ]);
    const day = ISSUED_MS + 86_400_000;
    const validityAt = async (nowMs: number) =>
      (await checkCredential({ ...question(jwt, figuresOf(3, 2)), nowMs }, askLedger)).validity;
    expect(await validityAt(day - 1)).toEqual({ holds: true, seen: 'About this agent, until 2026-05-12 00:00 UTC' });
    expect(await validityAt(day)).toEqual({ holds: false, difference: 'It has expired.' });
    expect(await validityAt(ISSUED_MS - 61_000)).toEqual({ holds: false, difference: 'It is not valid yet.' });
    expect((await checkCredential(question(endless, held), askLedger)).validity).toMatchObject({ holds: false });
  });

  test('(D-15) is not called checked while the ledger does not answer', async () => {
    const said = figuresOf(3, 2);
    const jwt = await jwtOf({ said });
    isDown = true;
    const found = await checkCredential(question(jwt, said), askLedger);
    isDown = false;
    expect(holds(found)).toEqual([true, true, NOT, NOT]);
  });

  test('(D-15) differs from a ledger without the account', async () => {
    const said = figuresOf(3, 2);
    const jwt = await jwtOf({ said });
    held = undefined;
    expect(holds(await checkCredential(question(jwt, said), askLedger))).toEqual([true, true, false, NOT]);
    const lent = await jwtOf({
      said,
      change: (payload) => {
        const { credentialSubject } = payload.vc;
        return { ...payload, vc: { ...payload.vc, credentialSubject: { ...credentialSubject, onChainPDA: PROGRAM } } };
      },
    });
    held = said;
    expect(holds(await checkCredential(question(lent, said), askLedger))).toEqual([true, true, false, NOT]);
  });

  test.each(vectors.cases)('(D-15) reads the vector: $name', async ({ name, jwt, nowSec, reason }) => {
    const agentPubkey = vectors.payload.sub.slice('did:svc:'.length);
    const asked = { jwt, agentPubkey, issuerPubkeys: vectors.issuerPubkeys, shown: figuresOf(12, 11) };
    const equal = () => Promise.resolve({ status: 'equal', ledger: figuresOf(12, 11) } as const);
    const found = await checkCredential({ ...asked, nowMs: nowSec * 1000 }, equal);
    const [signature, validity] = holds(found);
    // The page allows any age, and wants an end.
    const isValid = (reason === undefined || reason === 'too_old') && name !== 'without exp';
    expect(signature === true && validity === true).toBe(isValid);
  });
});
