// Worked examples of payments and routes; generate.mjs writes them.
import { toLamports } from '../dist/contract/money.js';
import { allocatePayments, expectedPaymentLamports } from '../dist/rules/payments.js';
import { findBestRoute } from '../dist/rules/route/bestRoute.js';

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
