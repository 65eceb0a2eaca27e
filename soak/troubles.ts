import { below, choose, type Random, shuffled, type Shares } from './plan.js';
import type { Fault, Way } from './wire.js';

/** What a trouble can be: a kill of a part or of all of them at once, a part that stands still, a network that fails, or the database's disk. */
export const TARGETS = ['service', 'ledger', 'postgres', 'all', 'pause', 'network', 'disk'] as const;
export type Target = (typeof TARGETS)[number];

interface Planned {
  /** It falls so many steps of agents after the instance was ready, */
  readonly steps: number;
  /** and so many milliseconds after that step began. */
  readonly delayMs: number;
  /** Which of the services, when it hits a service; undefined: all. */
  readonly service: number | undefined;
}

export interface Kill {
  readonly target: Exclude<Target, 'pause' | 'network' | 'disk'>;
  /** True if PostgreSQL's supervisor dies with its server. */
  readonly supervisorToo: boolean;
}

/** A part is stopped, as a machine that is suspended or starved, and goes on where it was. */
export interface Pause {
  readonly target: 'pause';
  readonly part: 'service' | 'ledger' | 'postgres';
  readonly ms: number;
  /** The share of PostgreSQL's processes that stop, at most 1. */
  readonly share: number;
}

/** The wires of a service: to its database, to its node, and from its clients. */
export const WIRES = ['database', 'node', 'clients'] as const;

export interface Outage {
  readonly target: 'network';
  readonly wires: readonly (typeof WIRES)[number][];
  readonly fault: Fault;
  readonly ms: number;
}

/** PostgreSQL's disk takes no more, or each commit waits for it. */
export interface BadDisk {
  readonly target: 'disk';
  /** `kilobytes`: so long its files may become; what is longer already takes nothing at its end. `slowMs`: how long a commit waits. */
  readonly fault: { readonly kilobytes: number } | { readonly slowMs: number };
  readonly ms: number;
}

/** Something that goes wrong, and when. */
export type Trouble = Planned & (Kill | Pause | Outage | BadDisk);

const MOST_STEPS = 32;
/** About the longest step. */
const LONGEST_DELAY_MS = 250;
/** Longer than a service waits for its database, and a client for a service. */
const LONGEST_PAUSE_MS = 12_000;
const LONGEST_OUTAGE_MS = 8_000;
const SLOWEST_MS = 400;
/** Its power of two is as long as a segment of the log of writes, in kilobytes: most limits are below what is written just then. */
const MOST_DOUBLINGS = 14;
/** More than this PostgreSQL does not wait. */
const SLOWEST_DISK_MS = 100;

const PARTS: Shares<Pause['part']> = [
  ['service', 0.5],
  ['postgres', 0.3],
  ['ledger', 0.2],
];
const FAULTS: Shares<Fault['kind']> = [
  ['cut', 0.4],
  ['silent', 0.4],
  ['slow', 0.2],
];
const WAYS: Shares<Way> = [
  ['both', 0.4],
  ['back', 0.4],
  ['there', 0.2],
];

/** `times` of each target, in random order. @param services - how many there are */
export function planTroubles(targets: readonly Target[], times: number, services: number, random: Random): Trouble[] {
  const each = targets.flatMap((target) => Array.from({ length: times }, () => target));
  return shuffled(each, random).map((target) => {
    const one = below(services + 1, random);
    return {
      steps: 1 + below(MOST_STEPS, random),
      delayMs: random() * LONGEST_DELAY_MS,
      service: target === 'all' || one === services ? undefined : one,
      ...draw(target, random),
    };
  });
}

function draw(target: Target, random: Random): Kill | Pause | Outage | BadDisk {
  if (target === 'network') return drawOutage(random);
  if (target === 'disk') return drawDisk(random);
  if (target !== 'pause') return { target, supervisorToo: target === 'all' || random() < 0.5 };
  const share = random() < 0.5 ? 1 : random();
  return { target, part: choose(PARTS, random), ms: random() * LONGEST_PAUSE_MS, share };
}

function drawDisk(random: Random): BadDisk {
  const isFull = random() < 0.6;
  const fault = isFull ? { kilobytes: 2 ** below(MOST_DOUBLINGS + 1, random) } : { slowMs: random() * SLOWEST_DISK_MS };
  return { target: 'disk', fault, ms: random() * LONGEST_OUTAGE_MS };
}

/** One wire, or several at once. */
function drawOutage(random: Random): Outage {
  const wires = shuffled(WIRES, random).slice(0, random() < 0.7 ? 1 : 2);
  return { target: 'network', wires, fault: drawFault(random), ms: random() * LONGEST_OUTAGE_MS };
}

function drawFault(random: Random): Fault {
  const kind = choose(FAULTS, random);
  if (kind === 'cut') return { kind };
  const way = choose(WAYS, random);
  return kind === 'silent' ? { kind, way } : { kind, way, ms: random() * SLOWEST_MS };
}

/** For people. */
export function tellTrouble(trouble: Trouble): string {
  const { service } = trouble;
  const which = service === undefined ? 'all services' : `service ${service + 1}`;
  switch (trouble.target) {
    case 'service':
      return `killed ${which}`;
    case 'postgres':
      return `killed postgres${trouble.supervisorToo ? ' and its supervisor' : ''}`;
    case 'pause':
      return `stopped ${trouble.part === 'service' ? which : trouble.part} for ${trouble.ms.toFixed(0)} ms`;
    case 'network': {
      const { fault, wires, ms } = trouble;
      const way = fault.kind === 'cut' || fault.way === 'both' ? '' : ` ${fault.way}`;
      return `${fault.kind}${way}: ${wires.join(' and ')} of ${which} for ${ms.toFixed(0)} ms`;
    }
    case 'disk': {
      const { fault, ms } = trouble;
      const what =
        'slowMs' in fault ? `takes ${fault.slowMs.toFixed(0)} ms a commit` : `is full above ${fault.kilobytes} KB`;
      return `the disk of postgres ${what} for ${ms.toFixed(0)} ms`;
    }
    case 'ledger':
      return 'killed the ledger';
    case 'all':
      break;
  }
  return 'killed everything';
}
