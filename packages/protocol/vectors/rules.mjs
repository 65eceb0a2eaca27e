// Worked examples of terms, results, payments and routes; generate.mjs writes them.
import { toLamports } from '../dist/contract/money.js';
import { allocatePayments, expectedPaymentLamports } from '../dist/rules/payments.js';
import { findBestRoute } from '../dist/rules/route/bestRoute.js';
import {
  packageTermsDocument,
  packageTermsHash,
  resultHash,
  taskTermsDocument,
  taskTermsHash,
} from '../dist/rules/terms.js';

const SALT = '00112233445566778899aabbccddeeff';

export function termsHashes() {
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
    {
      name: 'a required score alone',
      terms: { description: 'Two books', ...places, weightKg: 1.5, volumeLitres: 3, requirements: { minScore: 80 } },
    },
    {
      name: 'everything required, lists in the order given',
      terms: {
        description: 'Cake',
        ...places,
        weightKg: 2,
        volumeLitres: 8,
        requirements: {
          minScore: 0,
          minCompleted: 12,
          capabilities: ['cooled', 'Lastenrad 🚲'],
          blocked: ['9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
        },
      },
    },
    {
      name: 'version 2, with a salt',
      terms: { salt: SALT, v: 2, description: 'Two books', ...places, weightKg: 1.5, volumeLitres: 3 },
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

export function taskTermsHashes() {
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
    {
      name: 'a required score and capability',
      terms: {
        title: 'Feedback',
        description: 'Group it by topic.',
        instructions: ['Group it by topic.'],
        requirements: { minScore: 80, capabilities: ['Deutsch'] },
      },
    },
    {
      name: 'version 2, with a salt',
      terms: {
        salt: SALT,
        v: 2,
        title: 'Feedback',
        description: 'Group it by topic.',
        instructions: ['Group it by topic.'],
      },
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

export function resultHashes() {
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

export function payments() {
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

export function routes() {
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
