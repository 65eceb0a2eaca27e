import type { ChainLimits, GraphNode } from './graph.js';
import { type ChainKey, compareChains } from './objective.js';
import type { TimeBound } from './timeBound.js';
import { MAX_CHAIN_LEGS } from '../../contract/resources/swarm.js';

/** The measure by which one way to the destination beats another. */
interface Measure<Key> {
  /** The key of a node as the last leg, or undefined when that alone breaks a limit. */
  end(node: GraphNode): Key | undefined;
  /** The key of a node before a way with this key, or undefined when that breaks the limit. */
  prepend(node: GraphNode, rest: Key): Key | undefined;
  compare(a: Key, b: Key): number;
}

interface Suffix<Key> {
  readonly key: Key;
  /** The next node, or undefined at the destination. */
  readonly next: number | undefined;
}

/**
 * For every node and number of legs left, the best way from it (itself included) to the destination under one measure,
 * ignoring who carries it: a lower bound for what remains of any chain.
 */
export class SuffixTable<Key> {
  readonly #byLegs: (Suffix<Key> | undefined)[][] = [[]];

  /** The best way's key from this node with at most so many legs, or undefined when none is left. */
  key(node: number, legs: number): Key | undefined {
    return this.#byLegs[legs]?.[node]?.key;
  }

  /** The nodes of that way, in carrying order. */
  path(node: number, legs: number): number[] {
    const path: number[] = [];
    let at: number | undefined = node;
    for (let left = legs; at !== undefined; left -= 1) {
      path.push(at);
      at = this.#byLegs[left]?.[at]?.next;
    }
    return path;
  }

  /** @returns undefined when the time was up before the table was complete */
  static create<Key>(
    nodes: readonly GraphNode[],
    measure: Measure<Key>,
    bound: TimeBound,
  ): SuffixTable<Key> | undefined {
    const table = new SuffixTable<Key>();
    for (let legs = 1; legs <= MAX_CHAIN_LEGS; legs += 1) {
      const ranks = table.#rank(nodes.length, legs - 1, measure);
      const row: (Suffix<Key> | undefined)[] = [];
      for (const node of nodes) {
        if (bound.isExpired()) {
          return undefined;
        }
        row.push(table.#best(node, legs - 1, ranks, measure));
      }
      table.#byLegs.push(row);
    }
    return table;
  }

  /** Ranks once per number of legs, so that choosing among many next nodes compares integers only. */
  #rank(count: number, legs: number, measure: Measure<Key>): Float64Array {
    const row = this.#byLegs[legs] ?? [];
    const ranks = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    const found = [...row.entries()].flatMap(([node, suffix]) => (suffix === undefined ? [] : [{ node, suffix }]));
    found.sort((a, b) => measure.compare(a.suffix.key, b.suffix.key));
    for (const [rank, { node }] of found.entries()) {
      ranks[node] = rank;
    }
    return ranks;
  }

  #best(node: GraphNode, legsAfter: number, ranks: Float64Array, measure: Measure<Key>): Suffix<Key> | undefined {
    if (node.isLast) {
      const key = measure.end(node);
      return key === undefined ? undefined : { key, next: undefined };
    }
    let next: number | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const other of node.next) {
      const rank = ranks[other] ?? Number.POSITIVE_INFINITY;
      if (rank < lowest) {
        lowest = rank;
        next = other;
      }
    }
    const rest = next === undefined ? undefined : this.key(next, legsAfter);
    const key = rest === undefined ? undefined : measure.prepend(node, rest);
    return key === undefined ? undefined : { key, next };
  }
}

/** The chains' own order; no limit applies, so its best may be out of reach. */
export const byObjective: Measure<ChainKey> = {
  end: (node) => ({ weight: node.weight, costLamports: BigInt(node.cost), ids: [node.id] }),
  prepend: (node, rest) => ({
    weight: node.weight + rest.weight,
    costLamports: BigInt(node.cost) + rest.costLamports,
    ids: [node.id, ...rest.ids],
  }),
  compare: compareChains,
};

/** The lowest cost, in lamports, within the budget. */
export function byCost({ budget }: ChainLimits): Measure<number> {
  return boundedSum((node) => node.cost, budget);
}

/** The fewest minutes, within the time left. */
export function byMinutes({ minutes }: ChainLimits): Measure<number> {
  return boundedSum((node) => node.minutes, minutes);
}

/** The limit is subtracted from rather than summed up to: sums beyond 2^53 would not be exact. */
function boundedSum(amount: (node: GraphNode) => number, limit: number): Measure<number> {
  return {
    end: (node) => (amount(node) <= limit ? amount(node) : undefined),
    prepend: (node, rest) => (amount(node) <= limit - rest ? amount(node) + rest : undefined),
    compare: (a, b) => a - b,
  };
}
