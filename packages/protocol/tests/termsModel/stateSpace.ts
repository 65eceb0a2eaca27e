import { ENDED, type Machine, type Move, type State } from './machine.js';

/** A state with a number, and what can follow it. Each state of a space exists once. */
export interface Place {
  readonly id: number;
  readonly state: State;
}

export interface Step {
  readonly move: Move;
  readonly to: Place;
}

/** The states of a machine as one graph, made as they are reached. */
export class StateSpace {
  readonly machine: Machine;
  readonly #places = new Map<number, Place>();
  readonly #steps = new Map<Place, readonly Step[]>();
  readonly #ticks = new Map<Place, Place>();

  constructor(machine: Machine) {
    this.machine = machine;
  }

  at(state: State): Place {
    const key = this.machine.keyOf(state);
    const known = this.#places.get(key);
    if (known) return known;
    const place = { id: this.#places.size, state };
    this.#places.set(key, place);
    return place;
  }

  /** Every legal move from here. */
  steps(place: Place): readonly Step[] {
    const known = this.#steps.get(place);
    if (known) return known;
    const steps = this.machine.moves(place.state).map((move) => {
      const to = this.at(move.next);
      return { move: { ...move, next: to.state }, to };
    });
    this.#steps.set(place, steps);
    return steps;
  }

  /** One tick later. */
  tick(place: Place): Place {
    const known = this.#ticks.get(place);
    if (known) return known;
    const later = this.at(this.machine.tick(place.state));
    this.#ticks.set(place, later);
    return later;
  }
}

/** Every state that any play reaches, until three ticks after the latest end. @param allowed - the moves that are played */
export function reached(machine: Machine, allowed: (move: Move) => boolean = () => true): readonly State[] {
  const last = machine.latestEnd + 3;
  const seen = new Map([[machine.keyOf(machine.start()), machine.start()]]);
  for (const state of seen.values()) {
    const after = machine.moves(state).flatMap((move) => (allowed(move) ? [move.next] : []));
    if (state.tick < last) after.push(machine.tick(state));
    for (const next of after) {
      const key = machine.keyOf(next);
      if (next.current !== ENDED && !seen.has(key)) seen.set(key, next);
    }
  }
  return [...seen.values()];
}
