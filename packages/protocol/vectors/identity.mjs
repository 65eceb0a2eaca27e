// Worked examples of signed requests, DIDs, reputation credentials and reward claims; generate.mjs writes them.
import { base58, base64urlnopad } from '@scure/base';
import { credentialClaims } from '../dist/contract/identity/credential.js';
import { encodeMultibaseKey } from '../dist/contract/identity/did.js';
import { credentialEndpointOf, didDocument } from '../dist/contract/identity/didDocument.js';
import { signingInputOf } from '../dist/contract/identity/jws.js';
import { toLamports } from '../dist/contract/money.js';
import { payoutProofText } from '../dist/contract/payoutProof.js';
import { createRequestSigner, signedRequestText, signRequest } from '../dist/contract/signing.js';
import { claimsCsv } from '../dist/rules/claimsCsv.js';

const ISSUER_SECRET = '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb';
const FORMER_SECRET = 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7';
const AGENT_SECRET = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const PDA = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const ISSUED_MS = Date.UTC(2026, 4, 11);

const keyOf = (secretHex) => createRequestSigner(bytesOf(secretHex));
const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Deterministic: Ed25519 draws no random numbers. */
async function jwtOf({ header, payload }, signer) {
  const input = signingInputOf(header, payload);
  return `${input}.${base64urlnopad.encode(await signer.sign(Buffer.from(input, 'utf8')))}`;
}

function claimsOf(issuerPubkey) {
  return credentialClaims({
    issuerPubkey,
    agentPubkey: keyOf(AGENT_SECRET).pubkey,
    reputation: {
      legsAccepted: 12,
      legsCompleted: 11,
      reliabilityScore: 91,
      onChainPDA: PDA,
      mirroredAt: new Date(ISSUED_MS - 750),
    },
    id: '0189dcd5-5311-7d40-8db0-9496a2eef37b',
    issuedAtMs: ISSUED_MS,
  });
}

export async function signedRequests() {
  const secretKeyHex = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
  const signer = createRequestSigner(Uint8Array.from(Buffer.from(secretKeyHex, 'hex')));
  const requests = [
    {
      name: 'a bid with a JSON body',
      method: 'POST',
      host: 'relay.example',
      path: '/bids',
      body: '{"packageId":"0189dcd5-5311-7d40-8db0-9496a2eef37b","costSol":0.25,"reasoning":"Grüße 📦"}',
    },
    { name: 'no body, a query, a port', method: 'DELETE', host: '127.0.0.1:8080', path: '/bids/1?a=1&b=%20', body: '' },
    { name: 'host and method in another case', method: 'get', host: 'Relay.Example', path: '/', body: '' },
  ];
  const nonce = '1790000000000-abcdEFGH12345678';
  return {
    description: 'Headers of signed requests. The signature is ed25519 over the UTF-8 bytes of text, in base58.',
    secretKeyHex,
    cases: await Promise.all(
      requests.map(async (request) => ({
        ...request,
        nonce,
        text: signedRequestText(request, nonce),
        headers: await signRequest(signer, request, nonce),
      })),
    ),
  };
}

export async function credentials() {
  const issuer = keyOf(ISSUER_SECRET);
  const former = keyOf(FORMER_SECRET);
  const good = claimsOf(issuer.pubkey);
  const { exp: _exp, ...withoutExp } = good.payload;
  const { kid: _kid, ...withoutKid } = good.header;
  const misled = { ...good.payload, sub: good.payload.iss };
  const at = (seconds) => ISSUED_MS / 1000 + seconds;
  const [head, claims, signature] = (await jwtOf(good, issuer)).split('.');
  const cases = [
    { name: 'valid', jwt: await jwtOf(good, issuer), nowSec: at(1) },
    { name: 'of a former key, in its own name', jwt: await jwtOf(claimsOf(former.pubkey), former), nowSec: at(1) },
    { name: 'without exp', jwt: await jwtOf({ ...good, payload: withoutExp }, issuer), nowSec: at(1e6) },
    { name: 'without kid', jwt: await jwtOf({ ...good, header: withoutKid }, issuer), nowSec: at(1) },
    { name: 'the last second', jwt: `${head}.${claims}.${signature}`, nowSec: at(86_399) },
    { name: 'a minute early', jwt: `${head}.${claims}.${signature}`, nowSec: at(-60) },
    { name: 'padded', jwt: `${head}.${claims}.${signature}==`, nowSec: at(1), reason: 'malformed' },
    {
      name: 'unsigned',
      jwt: `${signingInputOf({ ...good.header, alg: 'none' }, good.payload)}.`,
      nowSec: at(1),
      reason: 'unsupported_alg',
    },
    {
      name: 'of a stranger',
      jwt: await jwtOf(claimsOf(keyOf(AGENT_SECRET).pubkey), keyOf(AGENT_SECRET)),
      nowSec: at(1),
      reason: 'unknown_issuer',
    },
    {
      name: 'signed by a former key in the name of the present one',
      jwt: await jwtOf(good, former),
      nowSec: at(1),
      reason: 'bad_signature',
    },
    {
      name: 'about two subjects',
      jwt: await jwtOf({ ...good, payload: misled }, issuer),
      nowSec: at(1),
      reason: 'subject_mismatch',
    },
    {
      name: 'more than a minute early',
      jwt: `${head}.${claims}.${signature}`,
      nowSec: at(-61),
      reason: 'not_yet_valid',
    },
    { name: 'a day later', jwt: `${head}.${claims}.${signature}`, nowSec: at(86_400), reason: 'expired' },
    { name: 'too old', jwt: `${head}.${claims}.${signature}`, nowSec: at(61), maxAgeSec: 60, reason: 'too_old' },
  ];
  return {
    description:
      'Reputation credentials, verified at nowSec (Unix seconds) by somebody who knows both issuers; reason: why one is not valid.',
    issuerSecretKeyHex: ISSUER_SECRET,
    issuerPubkeys: [issuer.pubkey, former.pubkey],
    ...good,
    cases,
  };
}

export function didDocuments() {
  const [pubkey, former] = [keyOf(ISSUER_SECRET).pubkey, keyOf(FORMER_SECRET).pubkey];
  const credentialEndpoint = credentialEndpointOf('https://relay.example', pubkey);
  return {
    description: 'Multibase texts of keys, and DID documents. Former keys are listed and do not speak for the DID.',
    keys: [pubkey, former].map((key) => ({ pubkey: key, multibase: encodeMultibaseKey(key) })),
    documents: [
      { pubkey, formerKeys: [], credentialEndpoint, document: didDocument({ pubkey, credentialEndpoint }) },
      {
        pubkey,
        formerKeys: [former],
        credentialEndpoint,
        document: didDocument({ pubkey, formerKeys: [former], credentialEndpoint }),
      },
    ],
  };
}

export async function rewardClaims() {
  const [first, second] = [keyOf(AGENT_SECRET), keyOf(FORMER_SECRET)];
  const payout = keyOf(ISSUER_SECRET);
  const proof = payoutProofText(first.pubkey, payout.pubkey);
  const signature = base58.encode(await payout.sign(Buffer.from(proof, 'utf8')));
  const claims = [
    {
      devnetPubkey: second.pubkey,
      mainnetPubkey: second.pubkey,
      mainnetProven: false,
      devnetEarningsLamports: 0,
      sponsoredLamports: 0,
      selfFundedLamports: 0,
      legs: 0,
      posters: 0,
      lastConfirmSignature: null,
      claimedAt: '2026-05-11T00:00:00.000Z',
      paidSignature: null,
      paidAt: null,
    },
    {
      devnetPubkey: first.pubkey,
      mainnetPubkey: payout.pubkey,
      mainnetProven: true,
      devnetEarningsLamports: 70_000_000,
      sponsoredLamports: 50_000_000,
      selfFundedLamports: 20_000_000,
      legs: 2,
      posters: 2,
      lastConfirmSignature: signature,
      claimedAt: '2026-05-17T23:59:59.999Z',
      paidSignature: signature,
      paidAt: '2026-05-20T08:00:00.000Z',
    },
  ];
  return {
    description: 'The text by which a payout key proves itself, signed in base58, and the export of claims as CSV.',
    payoutProof: {
      devnetPubkey: first.pubkey,
      mainnetPubkey: payout.pubkey,
      text: proof,
      signature,
    },
    claims,
    ...claimsCsv(claims.map(toClaim)),
  };
}

function toClaim({ devnetEarningsLamports, sponsoredLamports, selfFundedLamports, claimedAt, paidAt, ...rest }) {
  return {
    ...rest,
    devnetEarningsLamports: toLamports(BigInt(devnetEarningsLamports)),
    sponsoredLamports: toLamports(BigInt(sponsoredLamports)),
    selfFundedLamports: toLamports(BigInt(selfFundedLamports)),
    claimedAt: new Date(claimedAt),
    paidAt: paidAt === null ? null : new Date(paidAt),
  };
}
