import type { Coordinate } from '@legwork/sdk';

/** A place in Berlin, WGS 84. */
export interface Place extends Coordinate {
  readonly name: string;
}

const ZOO = { name: 'Bahnhof Zoo', lat: 52.5072, lng: 13.3325 };
const HAUPTBAHNHOF = { name: 'Hauptbahnhof', lat: 52.5251, lng: 13.3694 };
const ALEXANDERPLATZ = { name: 'Alexanderplatz', lat: 52.5219, lng: 13.4132 };
const OSTKREUZ = { name: 'Ostkreuz', lat: 52.503, lng: 13.4692 };

export const SHIPPERS = ['Nora', 'Pavel'] as const;
export const COURIERS = ['Ada', 'Bo', 'Chiara', 'Dag', 'Emre', 'Femi'] as const;
export const ARBITER = 'Ines';

export type AgentName = (typeof AGENTS)[number];
export type ShipperName = (typeof SHIPPERS)[number];
export type CourierName = (typeof COURIERS)[number];

export const POSTER = 'Rosa';
export const AGENTS = ['Goran', 'Hanna', 'Ilja', 'Jana'] as const;

/** The clocks of all that is listed, in seconds: as short as the program and the way allow, so that little time has to pass. */
export const CLOCKS = { carrySec: 5400, handoffSec: 300, reviewSec: 1800, arbitrationSec: 300 } as const;

/** How long after a courier's clock the service takes its leg away, in seconds. */
export const GRACE_SEC = 120;

/** A courier's offer for one stretch. */
export interface Offer {
  readonly courier: CourierName;
  readonly from: Place;
  readonly to: Place;
  readonly costSol: number;
}

/** A package of the story, and the offers that carry it. */
export interface Shipment {
  readonly key: string;
  readonly shipper: ShipperName;
  readonly what: string;
  readonly origin: Place;
  readonly destination: Place;
  readonly maxBudgetSol: number;
  readonly stakeSol: number;
  readonly offers: readonly Offer[];
}

export const PAINTING: Shipment = {
  key: 'painting',
  shipper: 'Nora',
  what: 'a framed painting',
  origin: ZOO,
  destination: OSTKREUZ,
  maxBudgetSol: 0.15,
  stakeSol: 0.03,
  offers: [
    { courier: 'Ada', from: ZOO, to: HAUPTBAHNHOF, costSol: 0.025 },
    { courier: 'Bo', from: HAUPTBAHNHOF, to: ALEXANDERPLATZ, costSol: 0.024 },
    { courier: 'Chiara', from: ALEXANDERPLATZ, to: OSTKREUZ, costSol: 0.026 },
  ],
};

/** Couriers that offer to take the stretch that nobody came for. */
export const REPLACEMENTS: readonly Offer[] = [
  { courier: 'Femi', from: HAUPTBAHNHOF, to: ALEXANDERPLATZ, costSol: 0.035 },
  { courier: 'Dag', from: HAUPTBAHNHOF, to: ALEXANDERPLATZ, costSol: 0.03 },
];

export const VASE: Shipment = {
  key: 'vase',
  shipper: 'Pavel',
  what: 'a vase',
  origin: ALEXANDERPLATZ,
  destination: ZOO,
  maxBudgetSol: 0.1,
  stakeSol: 0.02,
  offers: [{ courier: 'Emre', from: ALEXANDERPLATZ, to: ZOO, costSol: 0.05 }],
};

/** A digital task, with what each leg has to result in. */
export const WORDS = {
  key: 'words',
  title: 'the words of a song',
  description: 'The text: “She sells sea shells by the sea shore.”',
  legs: [
    { instruction: 'Count the words of the text.', result: '8 words' },
    { instruction: 'Write the text in upper case.', result: 'SHE SELLS SEA SHELLS BY THE SEA SHORE.' },
    {
      instruction: 'List the different words of the text in alphabetical order.',
      result: 'by, sea, sells, she, shells, shore, the',
    },
  ],
  maxBudgetSol: 0.09,
  stakeSol: 0.02,
} as const;

export const GARBAGE = 'lorem ipsum dolor sit amet';
