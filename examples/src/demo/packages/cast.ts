import type { Coordinate } from '@legwork/sdk';

/** A place in or near Berlin, WGS 84. */
export interface Place extends Coordinate {
  readonly name: string;
}

const MUSEUM_ISLAND = { name: 'Museumsinsel', lat: 52.5212, lng: 13.3969 };
const OSTKREUZ = { name: 'Ostkreuz', lat: 52.503, lng: 13.4692 };
const SCHOENEWEIDE = { name: 'Schöneweide', lat: 52.455, lng: 13.509 };
const AIRPORT = { name: 'Airport BER', lat: 52.3648, lng: 13.5097 };
const ZOO = { name: 'Bahnhof Zoo', lat: 52.5072, lng: 13.3325 };
const WANNSEE = { name: 'Wannsee', lat: 52.4214, lng: 13.1793 };
const POTSDAM = { name: 'Potsdam Hbf', lat: 52.3917, lng: 13.0666 };
const SPANDAU = { name: 'Spandau', lat: 52.5355, lng: 13.1975 };
const WESTKREUZ = { name: 'Westkreuz', lat: 52.5012, lng: 13.2836 };
const ALEXANDERPLATZ = { name: 'Alexanderplatz', lat: 52.5219, lng: 13.4132 };

/** The couriers and what each asks, SOL a kilometre. */
export const COURIERS = {
  Ada: 0.004,
  Bo: 0.0055,
  Chiara: 0.0045,
  Dag: 0.006,
  Emre: 0.005,
  Femi: 0.0065,
  Greta: 0.0042,
  Hugo: 0.007,
} as const;

export type CourierName = keyof typeof COURIERS;

export const SHIPPERS = ['Nora', 'Pavel', 'Quentin'] as const;

export type ShipperName = (typeof SHIPPERS)[number];

/** A courier's stretch of road on one package. */
export interface PlannedBid {
  readonly courier: CourierName;
  readonly pickup: Place;
  readonly dropoff: Place;
}

/** A package of the story, and the bids on it in the order in which they arrive. */
export interface Shipment {
  readonly key: string;
  readonly shipper: ShipperName;
  readonly what: string;
  readonly origin: Place;
  readonly destination: Place;
  readonly weightKg: number;
  readonly volumeLitres: number;
  readonly maxBudgetSol: number;
  /** The points to look for. */
  readonly plot: string;
  readonly bids: readonly PlannedBid[];
}

/**
 * The story. A package is assigned as soon as the bids form a complete route, so the bid that completes it comes last.
 */
export const SHIPMENTS: readonly Shipment[] = [
  {
    key: 'violin',
    shipper: 'Nora',
    what: 'a violin',
    origin: MUSEUM_ISLAND,
    destination: AIRPORT,
    weightKg: 2.5,
    volumeLitres: 30,
    maxBudgetSol: 0.3,
    plot: 'three stretches, rivals on two of them',
    bids: [
      { courier: 'Bo', pickup: MUSEUM_ISLAND, dropoff: OSTKREUZ },
      { courier: 'Ada', pickup: MUSEUM_ISLAND, dropoff: OSTKREUZ },
      { courier: 'Dag', pickup: OSTKREUZ, dropoff: SCHOENEWEIDE },
      { courier: 'Chiara', pickup: OSTKREUZ, dropoff: SCHOENEWEIDE },
      { courier: 'Emre', pickup: SCHOENEWEIDE, dropoff: AIRPORT },
    ],
  },
  {
    key: 'laptop',
    shipper: 'Pavel',
    what: 'a repaired laptop',
    origin: ZOO,
    destination: POTSDAM,
    weightKg: 2,
    volumeLitres: 8,
    maxBudgetSol: 0.14,
    plot: 'relays are offered, but they pass the budget; one courier alone does not',
    bids: [
      { courier: 'Femi', pickup: ZOO, dropoff: WANNSEE },
      { courier: 'Bo', pickup: ZOO, dropoff: WANNSEE },
      { courier: 'Hugo', pickup: WANNSEE, dropoff: POTSDAM },
      { courier: 'Greta', pickup: ZOO, dropoff: POTSDAM },
    ],
  },
  {
    key: 'parts',
    shipper: 'Quentin',
    what: 'spare parts for a lift',
    origin: SPANDAU,
    destination: ALEXANDERPLATZ,
    weightKg: 11,
    volumeLitres: 25,
    maxBudgetSol: 0.16,
    plot: 'two stretches, rivals on the first',
    bids: [
      { courier: 'Hugo', pickup: SPANDAU, dropoff: WESTKREUZ },
      { courier: 'Dag', pickup: SPANDAU, dropoff: WESTKREUZ },
      { courier: 'Ada', pickup: WESTKREUZ, dropoff: ALEXANDERPLATZ },
    ],
  },
];
