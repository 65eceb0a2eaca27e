import type { EventType, OperationName, LegworkEvent } from '@legwork/protocol/contract';

type Reads = readonly OperationName[];

const PACKAGES: Reads = ['getStats', 'listPackages', 'listRelays'];
const TASKS: Reads = ['getStats', 'listDigitalTasks'];
/** What a move of a leg with terms changes, of its own and of the others' who wait for it. */
const TURNS: Reads = ['listTurns', 'listRelays'];
/** What finished or accepted work changes about agents. */
const AGENTS: Reads = ['listAgents', 'getLeaderboard'];

/**
 * The lists and figures of the whole market that an event changes, whatever they are filtered by. Bids are the most frequent
 * events, and no list shows them.
 */
const MARKET: { readonly [T in EventType]: Reads } = {
  PACKAGE_LISTED: PACKAGES,
  BID_STORED: [],
  BID_WITHDRAWN: [],
  SWARM_FORMED: [...PACKAGES, 'listTurns'],
  BID_RECEIVED: AGENTS,
  LEG_CONFIRMED: [...PACKAGES, ...AGENTS, 'listTurns'],
  PACKAGE_DELIVERED: PACKAGES,
  PACKAGE_FAILED: [...PACKAGES, 'listTurns'],
  TASK_LISTED: TASKS,
  TASK_LEG_CLAIMED: ['listDigitalTasks'],
  TASK_LEG_ASSIGNED: [...TASKS, ...AGENTS, 'listTurns'],
  TASK_LEG_RELEASED: [...TASKS, ...AGENTS, 'listTurns'],
  TASK_LEG_COMPLETED: [...TASKS, ...AGENTS, 'listTurns'],
  TASK_COMPLETED: TASKS,
  TASK_FAILED: [...TASKS, 'listTurns'],
  LEG_ACCEPTED: TURNS,
  LEG_CARRIED: TURNS,
  LEG_VACATED: TURNS,
  LEG_OPENED: [],
  LEG_REPLACED: [...TURNS, ...AGENTS],
  LEG_CLAIMED: TURNS,
  LEG_DISPUTED: TURNS,
  LEG_RULED: TURNS,
  LEDGER_REVERTED: [...PACKAGES, ...TASKS, ...AGENTS],
  LEDGER_HEALED: [...PACKAGES, ...TASKS, ...AGENTS],
};

const OF_MARKET: ReadonlySet<unknown> = new Set(Object.values(MARKET).flat());

/** Whether a question is about the whole market: it names no one thing, or only filters by one. */
export function isOfMarket([name]: readonly unknown[]): boolean {
  return OF_MARKET.has(name);
}

/** What events change: lists of the market by their operation, everything else by a text that both name: an id, a key, a signature. */
export interface Touched {
  readonly reads: ReadonlySet<unknown>;
  readonly names: ReadonlySet<unknown>;
}

export function touchedBy(events: readonly LegworkEvent[]): Touched {
  return {
    reads: new Set(events.flatMap(({ type }) => MARKET[type])),
    names: new Set(events.flatMap((event) => Object.values(event).filter((value) => typeof value === 'string'))),
  };
}

/** Whether events change the answer to a question of the service. @param key its operation and its input */
export function isTouched(key: readonly unknown[], { reads, names }: Touched): boolean {
  if (isOfMarket(key)) return reads.has(key[0]);
  const [, input] = key;
  return typeof input === 'object' && input !== null && Object.values(input).some((value) => names.has(value));
}
