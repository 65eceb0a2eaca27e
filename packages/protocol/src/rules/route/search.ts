import type { ChainLimits, GraphNode } from './graph.js';
import { Heap } from './heap.js';
import { type ChainKey, compareChains } from './objective.js';
import { byCost, byMinutes, byObjective, SuffixTable } from './suffixes.js';
import type { TimeBound } from './timeBound.js';
import { MAX_CHAIN_LEGS } from '../../contract/resources/swarm.js';

/** A chain from the origin to the destination that keeps every rule. */
export interface FoundChain {
  readonly key: ChainKey;
  /** Nodes in carrying order. */
  readonly path: readonly number[];
}

/** A way from the origin to a node. */
interface Label extends ChainKey {
  readonly path: readonly number[];
  readonly cost: number;
  readonly minutes: number;
  /** Those of its agents that must not repeat. */
  readonly critical: readonly number[];
  /** The best it can become: itself and the best rest of the way. */
  readonly best: ChainKey;
}

const START = { path: [], ids: [], weight: 0n, costLamports: 0n, cost: 0, minutes: 0, critical: [] } as const;

/**
 * Finds the best chain. Labels are taken in the order of the best they can become, so the first complete one is the best
 * of all, if its agents differ. At first repeated agents are allowed; when the answer repeats one, that agent becomes
 * critical (two labels then count as alike only if they used no other critical agents) and the search begins again. This
 * ends, because agents are finite, and no rule is relaxed that the answer breaks.
 */
export class ChainSearch {
  readonly #nodes: readonly GraphNode[];
  readonly #limits: ChainLimits;
  readonly #bound: TimeBound;
  readonly #objective: SuffixTable<ChainKey>;
  readonly #cost: SuffixTable<number>;
  readonly #minutes: SuffixTable<number>;
  readonly #critical = new Set<number>();
  #found: FoundChain | undefined;

  private constructor(
    nodes: readonly GraphNode[],
    limits: ChainLimits,
    bound: TimeBound,
    tables: readonly [SuffixTable<ChainKey>, SuffixTable<number>, SuffixTable<number>],
    found: FoundChain | undefined,
  ) {
    this.#nodes = nodes;
    this.#limits = limits;
    this.#bound = bound;
    [this.#objective, this.#cost, this.#minutes] = tables;
    this.#found = found;
  }

  /**
   * @param found a chain already known
   * @returns the best chain, and whether that is certain: not when the time was up first
   */
  static run(
    nodes: readonly GraphNode[],
    limits: ChainLimits,
    bound: TimeBound,
    found: FoundChain | undefined,
  ): { readonly found: FoundChain | undefined; readonly exact: boolean } {
    const objective = SuffixTable.create(nodes, byObjective, bound);
    const cost = SuffixTable.create(nodes, byCost(limits), bound);
    const minutes = SuffixTable.create(nodes, byMinutes(limits), bound);
    if (objective === undefined || cost === undefined || minutes === undefined) {
      return { found, exact: false };
    }
    const search = new ChainSearch(nodes, limits, bound, [objective, cost, minutes], found);
    let outcome = search.#round();
    while (outcome === 'agent repeats') {
      outcome = search.#round();
    }
    return { found: search.#found, exact: outcome === 'exact' };
  }

  #round(): 'exact' | 'time is up' | 'agent repeats' {
    const open = new Heap<Label>((a, b) => compareChains(a.best, b.best));
    const settled = new Map<number, Label[]>();
    for (const [index, node] of this.#nodes.entries()) {
      if (node.isFirst) {
        this.#extend(START, index, open);
      }
    }
    for (let label = open.pop(); label !== undefined && this.#mayImprove(label.best); label = open.pop()) {
      const last = label.path.at(-1) ?? 0;
      const node = this.#nodes[last];
      if (node?.isLast) {
        this.#forbidRepeats(label.path);
        return 'agent repeats';
      }
      const others = settled.get(last) ?? [];
      const current = label;
      if (others.some((other) => dominates(other, current))) {
        continue;
      }
      settled.set(last, [...others, label]);
      for (const next of node?.next ?? []) {
        if (this.#bound.isExpired()) {
          return 'time is up';
        }
        this.#extend(label, next, open);
      }
    }
    return 'exact';
  }

  /** Opens the label's extension by a node, unless nothing better than the known chain can come of it. */
  #extend(label: Omit<Label, 'best'>, index: number, open: Heap<Label>): void {
    const node = this.#nodes[index];
    const legsLeft = MAX_CHAIN_LEGS - label.path.length;
    const rest = this.#objective.key(index, legsLeft);
    const restCost = this.#cost.key(index, legsLeft);
    const restMinutes = this.#minutes.key(index, legsLeft);
    if (
      node === undefined ||
      rest === undefined ||
      restCost === undefined ||
      restMinutes === undefined ||
      label.cost > this.#limits.budget - restCost ||
      label.minutes > this.#limits.minutes - restMinutes ||
      label.critical.includes(node.agent)
    ) {
      return;
    }
    const best = joinKeys(label, rest);
    if (!this.#mayImprove(best) || this.#completes(label, index, legsLeft)) {
      return;
    }
    open.push({
      path: [...label.path, index],
      ids: [...label.ids, node.id],
      weight: label.weight + node.weight,
      costLamports: label.costLamports + BigInt(node.cost),
      cost: label.cost + node.cost,
      minutes: label.minutes + node.minutes,
      critical: this.#critical.has(node.agent) ? [...label.critical, node.agent] : label.critical,
      best,
    });
  }

  /**
   * Tries the best rest of the way, and if it breaks a rule the cheapest and the quickest, for the sake of a good chain
   * early on. True when the best one holds, so that nothing remains to be searched behind this node.
   */
  #completes(label: Omit<Label, 'best'>, index: number, legsLeft: number): boolean {
    if (this.#offer([...label.path, ...this.#objective.path(index, legsLeft)])) {
      return true;
    }
    this.#offer([...label.path, ...this.#cost.path(index, legsLeft)]);
    this.#offer([...label.path, ...this.#minutes.path(index, legsLeft)]);
    return false;
  }

  /** Keeps a complete way if it is a valid chain and the best so far. @returns true if it is valid */
  #offer(path: readonly number[]): boolean {
    const chain = chainOf(this.#nodes, path, this.#limits);
    if (chain !== undefined && this.#mayImprove(chain.key)) {
      this.#found = chain;
    }
    return chain !== undefined;
  }

  #mayImprove(key: ChainKey): boolean {
    return this.#found === undefined || compareChains(key, this.#found.key) < 0;
  }

  #forbidRepeats(path: readonly number[]): void {
    const seen = new Set<number>();
    for (const index of path) {
      const agent = this.#nodes[index]?.agent ?? 0;
      if (seen.has(agent)) {
        this.#critical.add(agent);
      }
      seen.add(agent);
    }
  }
}

/** The chain of a complete way, or undefined when it passes a limit or repeats an agent. Rules M-20, M-21. */
export function chainOf(
  nodes: readonly GraphNode[],
  path: readonly number[],
  limits: ChainLimits,
): FoundChain | undefined {
  const agents = new Set<number>();
  let minutes = 0;
  let left = limits.budget;
  let weight = 0n;
  for (const index of path) {
    const node = nodes[index];
    if (node === undefined || agents.has(node.agent) || node.cost > left) {
      return undefined;
    }
    agents.add(node.agent);
    left -= node.cost;
    minutes += node.minutes;
    weight += node.weight;
  }
  if (minutes > limits.minutes) {
    return undefined;
  }
  return {
    key: { weight, costLamports: BigInt(limits.budget - left), ids: path.map((index) => nodes[index]?.id ?? '') },
    path,
  };
}

/** Reports whether every rest of a way that completes `b` also completes `a`, and better. Both end in the same node. */
function dominates(a: Label, b: Label): boolean {
  return (
    a.path.length <= b.path.length &&
    a.cost <= b.cost &&
    a.minutes <= b.minutes &&
    compareChains(a, b) <= 0 &&
    a.critical.every((agent) => b.critical.includes(agent))
  );
}

function joinKeys(a: ChainKey, b: ChainKey): ChainKey {
  return {
    weight: a.weight + b.weight,
    costLamports: a.costLamports + b.costLamports,
    ids: [...a.ids, ...b.ids],
  };
}
