// Writes the worked examples beside this file from the built package: `node generate.mjs`, after a build.
// `node generate.mjs --check` writes nothing and fails when a file differs.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { findBestRoute } from '../dist/route/bestRoute.js';
import { toLamports } from '../dist/money.js';
import { allocatePayments, expectedPaymentLamports } from '../dist/payments.js';
import { createRequestSigner, signedRequestText, signRequest } from '../dist/signing.js';
import { packageTermsDocument, packageTermsHash, resultHash, taskTermsDocument, taskTermsHash } from '../dist/terms.js';
import { credentials, didDocuments, rewardClaims } from './identity.mjs';

const generators = {
  'signed-request.json': signedRequests,
  'terms-hash.json': termsHashes,
  'task-terms-hash.json': taskTermsHashes,
  'result-hash.json': resultHashes,
  'payments.json': payments,
  'routes.json': routes,
  'credentials.json': credentials,
  'did-documents.json': didDocuments,
  'reward-claims.json': rewardClaims,
};

async function signedRequests() {
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

function termsHashes() {
  const places = { origin: { lat: 52.521918, lng: 13.413215 }, destination: { lat: 52.507222, lng: 13.332778 } };
  const cases = [
    { name: 'plain', terms: { description: 'Two books', ...places, weightKg: 1.5, volumeLitres: 3 } },
    {
      name: 'escapes, other alphabets, line breaks',
      terms: { description: 'A "box"\\\n\tПосылка 📦 \u007f', ...places, weightKg: 0.1, volumeLitres: 12 },
    },
    {
      name: 'numbers at the edges of their text forms',
      terms: {
        description: '',
        origin: { lat: -90, lng: 180 },
        destination: { lat: 1e-7, lng: -0.000001 },
        weightKg: 1e21,
        volumeLitres: 123456789012345680000,
      },
    },
  ];
  return {
    description: 'terms_hash of packages: sha256 of the UTF-8 bytes of the RFC 8785 canonical JSON.',
    cases: cases.map(({ name, terms }) => ({
      name,
      terms,
      canonicalJson: packageTermsDocument(terms),
      sha256Hex: packageTermsHash(terms).hex,
    })),
  };
}

function taskTermsHashes() {
  const cases = [
    {
      name: 'plain',
      terms: { title: 'Feedback', description: 'Group it by topic.', instructions: ['Group it by topic.'] },
    },
    {
      name: 'escapes, other alphabets, line breaks',
      terms: {
        title: 'A "title"\\',
        description: 'Lies\r\n\tПрочитай 🔎 \u2028',
        instructions: ['Lies', 'Прочитай 🔎'],
      },
    },
    {
      name: 'four legs, in their order',
      terms: { title: '1', description: 'b a', instructions: ['b', 'a', 'b', 'a'] },
    },
  ];
  return {
    description: 'terms_hash of digital tasks: sha256 of the UTF-8 bytes of the RFC 8785 canonical JSON.',
    cases: cases.map(({ name, terms }) => ({
      name,
      terms,
      canonicalJson: taskTermsDocument(terms),
      sha256Hex: taskTermsHash(terms).hex,
    })),
  };
}

function resultHashes() {
  const cases = [
    { name: 'plain', result: 'Topics: delivery (12), price (7), support (3).' },
    { name: 'line breaks and space as they are', result: ' a\r\nb\n' },
    { name: 'other alphabets, composed and not', result: 'é e\u0301 結果 🔎' },
  ];
  return {
    description: 'result_hash of legs: sha256 of the UTF-8 bytes of the result.',
    cases: cases.map((each) => ({ ...each, sha256Hex: resultHash(each.result).hex })),
  };
}

const PAYMENT_CASES = [
  {
    name: 'a budget that covers every full bonus',
    budget: 1_000_000_000,
    bids: [
      [300_000_000, 100],
      [200_000_000, 50],
    ],
  },
  {
    name: 'a scarce surplus',
    budget: 600,
    bids: [
      [300, 100],
      [200, 50],
    ],
  },
  {
    name: 'no surplus',
    budget: 500,
    bids: [
      [300, 100],
      [200, 50],
    ],
  },
  {
    name: 'nobody has earned a bonus',
    budget: 1000,
    bids: [
      [300, 0],
      [200, 0],
    ],
  },
  { name: 'one bid alone', budget: 1_000_000_000, bids: [[700_000_000, 100]] },
  {
    name: 'the largest budget',
    budget: Number.MAX_SAFE_INTEGER,
    bids: [
      [8_000_000_000_000_000, 93],
      [1, 60],
    ],
  },
];

function payments() {
  return {
    description: 'Payments of chains, and of the first bid alone (expectedPaymentLamports).',
    cases: PAYMENT_CASES.map(({ name, budget, bids }) => {
      const budgetLamports = toLamports(BigInt(budget));
      const payable = bids.map(([cost, rho]) => ({ costLamports: toLamports(BigInt(cost)), rho }));
      const paid = allocatePayments({ budgetLamports, bids: payable }).map((leg) => Number(leg.paymentLamports));
      return {
        name,
        budgetLamports: budget,
        bids: bids.map(([costLamports, rho]) => ({ costLamports, rho })),
        paymentLamports: paid,
        refundLamports: budget - paid.reduce((sum, payment) => sum + payment, 0),
        expectedPaymentLamportsOfFirst: Number(expectedPaymentLamports(budgetLamports, payable[0])),
      };
    }),
  };
}

const ALEXANDERPLATZ = { lat: 52.521918, lng: 13.413215 };
const POTSDAMER_PLATZ = { lat: 52.509663, lng: 13.376481 };
const ZOO = { lat: 52.507222, lng: 13.332778 };
const WESTKREUZ = { lat: 52.501389, lng: 13.283611 };

function routes() {
  const target = { origin: ALEXANDERPLATZ, destination: WESTKREUZ, budgetLamports: 500_000_000, minutes: 120 };
  const chain = [
    bid(1, 'ana', ALEXANDERPLATZ, POTSDAMER_PLATZ, 3.4, 100_000_000, 90),
    bid(2, 'ben', POTSDAMER_PLATZ, ZOO, 3.8, 100_000_000, 90),
    bid(3, 'cem', ZOO, WESTKREUZ, 4.1, 100_000_000, 90),
  ];
  const direct = bid(4, 'dora', ALEXANDERPLATZ, WESTKREUZ, 10.9, 310_000_000, 50);
  const cases = [
    { name: 'a chain of three beats a dearer direct bid', target, bids: [...chain, direct] },
    { name: 'a deadline that only the direct bid meets', target: { ...target, minutes: 22 }, bids: [...chain, direct] },
    {
      name: 'a budget that nobody meets',
      target: { ...target, budgetLamports: 299_999_999 },
      bids: [...chain, direct],
    },
    {
      name: 'an agent may carry only one leg',
      target,
      bids: [...chain, bid(5, 'ana', ZOO, WESTKREUZ, 4.1, 50_000_000, 90), direct],
    },
    {
      name: 'reputation decides between near prices',
      target,
      bids: [direct, bid(6, 'eli', ALEXANDERPLATZ, WESTKREUZ, 10.9, 320_000_000, 100)],
    },
    {
      name: 'equal weight: the lower cost wins',
      target,
      bids: [
        bid(7, 'fay', ALEXANDERPLATZ, WESTKREUZ, 10.9, 130_000_000, 100),
        bid(8, 'gus', ALEXANDERPLATZ, WESTKREUZ, 10.9, 120_000_000, 0),
      ],
    },
    {
      name: 'equal weight and cost: fewer legs win',
      target,
      bids: [...chain, bid(9, 'hal', ALEXANDERPLATZ, WESTKREUZ, 10.9, 300_000_000, 90)],
    },
    {
      name: 'equal in all else: the smaller id wins',
      target,
      bids: [
        { ...direct, id: uuid(11), agentPubkey: 'ivo' },
        { ...direct, id: uuid(10), agentPubkey: 'jan' },
      ],
    },
    { name: 'the shipper cannot carry', target, bids: [{ ...direct, agentPubkey: 'shipper' }] },
  ];
  return {
    description:
      'Best chains. minutes is the time left until the deadline; agents are short names instead of public keys.',
    cases: cases.map((each) => ({ ...each, result: solve(each) })),
  };
}

function bid(number, agentPubkey, pickup, dropoff, distanceKm, costLamports, rho) {
  return { id: uuid(number), agentPubkey, pickup, dropoff, distanceKm, costLamports, rho };
}

function uuid(number) {
  return `0189dcd5-5311-7d40-8db0-${number.toString(16).padStart(12, '0')}`;
}

function solve({ target: { budgetLamports, minutes, ...places }, bids }) {
  const best = findBestRoute(
    {
      ...places,
      budgetLamports: toLamports(BigInt(budgetLamports)),
      shipperPubkey: 'shipper',
      deadlineMs: minutes * 60_000,
    },
    bids.map((each) => ({ ...each, costLamports: toLamports(BigInt(each.costLamports)) })),
    { evaluatedAtMs: 0, now: () => 0 },
  );
  return {
    bidIds: best.bids.map((each) => each.id),
    totalLamports: Number(best.totalLamports),
    weight: best.weight.toString(),
  };
}

/** In the repository's own format, so that formatting everything leaves these files as they are. */
function format(file, json) {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const options = { input: json, encoding: 'utf8', cwd: fileURLToPath(new URL('../../..', import.meta.url)) };
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${fileURLToPath(file)}`], options);
}

async function main() {
  const isCheck = process.argv.includes('--check');
  const stale = [];
  for (const [name, generate] of Object.entries(generators)) {
    const file = new URL(name, import.meta.url);
    const text = format(file, JSON.stringify(await generate()));
    if (!isCheck) {
      await writeFile(file, text);
    } else if ((await readFile(file, 'utf8')) !== text) {
      stale.push(name);
    }
  }
  if (stale.length > 0) {
    process.stderr.write(`vectors differ from the code: ${stale.join(', ')}; build, then run vectors/generate.mjs\n`);
    process.exitCode = 1;
  }
}

await main();
