import { ENDED, legAt, type Move, type State } from '../../../../packages/protocol/tests/termsModel/machine.js';
import { StateSpace, type Place } from '../../../../packages/protocol/tests/termsModel/stateSpace.js';
import type { Relay } from '../relay.js';
import type { Setting } from './attempts.js';
import { Replica } from './replica.js';

/** The windows of which the design counts the states. */
const WINDOWS = { carry: 3, handoff: 2, review: 2, arbitration: 2, deadline: 7 };

export interface Toured {
  readonly states: number;
  readonly moves: number;
  readonly games: number;
}

/** One move from here, or a tick. */
interface Edge {
  readonly from: Place;
  readonly move: Move | 'tick';
  readonly to: Place;
}

/**
 * Makes every legal move of every state that play of a package or task reaches, on the ledger, in as many games as that takes.
 *
 * @throws Error when model and program disagree anywhere on the way
 */
export async function tour(relay: Relay, { isTask, legs }: Pick<Setting, 'isTask' | 'legs'>): Promise<Toured> {
  const setting = { isTask, legs, isPaused: false, ...WINDOWS };
  let replica = await Replica.create(relay, 0, setting);
  const { machine, state } = replica.place;
  const map = new Chart(new StateSpace(machine), state);
  const total = { states: map.states, moves: map.untaken, games: 1 };
  while (map.untaken > 0) {
    const path = map.pathToUntaken(replica.place.state);
    if (path === undefined) {
      replica = await Replica.create(relay, total.games, setting);
      total.games += 1;
    }
    for (const edge of path ?? []) {
      await (edge.move === 'tick' ? replica.tick() : replica.make(edge.move));
      map.take(edge);
    }
  }
  return total;
}

/** Every state that can be reached without an honest courier, whom the ledger does not know, and the moves not yet made. */
class Chart {
  readonly #space: StateSpace;
  readonly #edges = new Map<Place, readonly Edge[]>();
  readonly #untaken = new Set<Edge>();

  constructor(space: StateSpace, start: State) {
    this.#space = space;
    const open = [space.at(start)];
    for (let place = open.pop(); place; place = open.pop()) {
      if (this.#edges.has(place)) continue;
      const edges = this.#edgesOf(place);
      this.#edges.set(place, edges);
      for (const edge of edges) {
        if (edge.move !== 'tick') this.#untaken.add(edge);
        if (edge.to.state.current !== ENDED) open.push(edge.to);
      }
    }
  }

  get states(): number {
    return this.#edges.size;
  }

  get untaken(): number {
    return this.#untaken.size;
  }

  take(edge: Edge): void {
    this.#untaken.delete(edge);
  }

  #edgesOf(from: Place): Edge[] {
    const edges: Edge[] = [];
    for (const { move, to } of this.#space.steps(from)) {
      const isForHonest = move.name === 'assign' && legAt(move.next, move.leg).honest;
      if (!isForHonest) edges.push({ from, move, to });
    }
    const { machine } = this.#space;
    if (from.state.tick < machine.latestEnd + 1) edges.push({ from, move: 'tick', to: this.#space.tick(from) });
    return edges;
  }

  /** The shortest way from here that ends with a move not yet made; undefined: there is none. */
  pathToUntaken(state: State): readonly Edge[] | undefined {
    if (state.current === ENDED) return undefined;
    const cameBy = new Map<Place, Edge | undefined>([[this.#space.at(state), undefined]]);
    for (const place of cameBy.keys()) {
      const edges = this.#edges.get(place) ?? [];
      const last = edges.find((edge) => this.#untaken.has(edge));
      if (last) return [...this.#wayTo(place, cameBy), last];
      for (const edge of edges) if (edge.to.state.current !== ENDED && !cameBy.has(edge.to)) cameBy.set(edge.to, edge);
    }
    return undefined;
  }

  #wayTo(place: Place, cameBy: ReadonlyMap<Place, Edge | undefined>): Edge[] {
    const way: Edge[] = [];
    for (let edge = cameBy.get(place); edge; edge = cameBy.get(edge.from)) way.unshift(edge);
    return way;
  }
}
