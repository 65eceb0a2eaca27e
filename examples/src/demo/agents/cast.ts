import { fileURLToPath } from 'node:url';
import type { Coordinate } from '@legwork/sdk';

/** A place in Berlin, WGS 84. */
export interface Place extends Coordinate {
  readonly name: string;
}

const place = (name: string, lat: number, lng: number): Place => ({ name, lat, lng });

export const PLACES = [
  place('Museumsinsel', 52.5212, 13.3969),
  place('Ostkreuz', 52.503, 13.4692),
  place('Schöneweide', 52.455, 13.509),
  place('Zoo', 52.5072, 13.3325),
  place('Westkreuz', 52.5012, 13.2836),
  place('Spandau', 52.5355, 13.1975),
  place('Gesundbrunnen', 52.5486, 13.3884),
  place('Südkreuz', 52.4754, 13.3655),
  place('Lichtenberg', 52.5102, 13.4968),
  place('Neukölln', 52.4687, 13.4419),
] as const;

/** The failures of agents in this demo. */
export type Failing = 'fails in every way' | 'goes silent' | 'hands in garbage' | 'is killed';

/** A courier or a worker: its policy, but for service and key. */
export interface Agent {
  readonly name: string;
  readonly role: 'courier' | 'worker';
  readonly policy: Readonly<Record<string, unknown>>;
  readonly failing?: Failing;
}

const at = ({ lat, lng }: Place) => [lat, lng];
const [
  museumsinsel,
  ostkreuz,
  schoeneweide,
  zoo,
  westkreuz,
  spandau,
  gesundbrunnen,
  suedkreuz,
  lichtenberg,
  neukoelln,
] = PLACES;

const limits = { legsAtOnce: 8, minPayment: 0.003, stakePerLeg: 0.1, stakeInAll: 0.4 };
const auto = { how: 'auto' };
const carries = (where: object, price: object) => ({
  courier: { ...where, price, handoff: auto, claim: auto, vehicle: { maxKg: 60, maxLitres: 300 } },
  limits,
});
const around = (home: Place, radiusKm: number) => ({ home: at(home), radiusKm });
const along = (from: Place, to: Place) => ({ itinerary: [{ from: at(from), to: at(to) }], maxDetourKm: 4 });
const worker = (command: readonly string[]) => ({ worker: { run: { command } }, limits });

const courier = (name: string, policy: object, failing?: Failing): Agent => ({
  name,
  role: 'courier',
  policy: { ...policy },
  ...(failing && { failing }),
});

/** Twelve couriers with the saboteur: some anywhere around a place, some along a way that they go anyway. */
export const COURIERS: readonly Agent[] = [
  courier('Ada', carries(around(museumsinsel, 12), { perKm: 0.004 })),
  courier('Bo', carries(along(spandau, ostkreuz), { perKm: 0.003 })),
  courier('Chiara', carries(around(suedkreuz, 9), { perKm: 0.0045 })),
  courier('Dag', carries(along(westkreuz, lichtenberg), { perKm: 0.0032 })),
  courier('Emre', carries(around(ostkreuz, 10), { perKm: 0.0042 })),
  courier('Femi', carries(along(gesundbrunnen, schoeneweide), { perKm: 0.003 })),
  courier('Greta', carries(around(zoo, 8), { perKm: 0.0038 })),
  courier('Hugo', carries(along(schoeneweide, zoo), { perKm: 0.0035 })),
  courier('Ines', carries(around(neukoelln, 8), { perKm: 0.004 })),
  courier('Jo', carries(along(lichtenberg, spandau), { perKm: 0.0031 })),
  courier('Leif', carries(around(gesundbrunnen, 12), { perKm: 0.0041 }), 'goes silent'),
];

/** A courier that no policy would let do what it does: `saboteur.ts`. */
export const SABOTEUR = 'Kaya';
/** The arbiter of disputes. */
export const ARBITER = 'Wera';

/** Reads a leg from standard input and writes its result. */
export const ANSWER = [process.execPath, fileURLToPath(new URL('answer.js', import.meta.url))];

export const WORKERS: readonly Agent[] = [
  { name: 'Mara', role: 'worker', policy: worker(ANSWER) },
  { name: 'Nils', role: 'worker', policy: worker(ANSWER) },
  { name: 'Oda', role: 'worker', policy: worker(ANSWER), failing: 'is killed' },
  { name: 'Pim', role: 'worker', policy: worker(['echo', 'lorem ipsum']), failing: 'hands in garbage' },
];

export const SHIPPERS = ['Quinn', 'Rosa', 'Sven'] as const;
export const POSTERS = ['Tara', 'Uwe'] as const;

/** The parcels, by weight in kilograms. */
export const PARCELS = [
  ['a box of books', 8],
  ['a violin', 2.5],
  ['a repaired laptop', 2],
  ['spare parts for a lift', 11],
  ['a cake', 1.5],
  ['a bag of letters', 4],
] as const;

/** The goals, with the material in the description. */
export const GOALS = [
  'Count the words of the text: it came late; too dear; late again. Then write a sentence about the count.',
  'Sort these lines: pear; apple; quince; fig.',
  'Summarise the feedback: quick, kind and on time; a little wet from the rain. Then translate the summary.',
] as const;
