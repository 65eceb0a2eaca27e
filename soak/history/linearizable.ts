/** A call on one object: when its client sent it, when the answer was there, and what was asked and answered. */
export interface Operation<Op> {
  /** Milliseconds of a clock that never goes back. */
  readonly invoked: number;
  /** Infinity: no answer came, and the call may take place at any moment after `invoked`, or never. */
  readonly returned: number;
  readonly op: Op;
}

/** A correct object: what it may do, one thing after the other. */
export interface Model<State, Op> {
  readonly initial: State;
  /**
   * The states after the operation, each in which it can be answered as it was; none: it cannot. One without an answer has only
   * those in which it changes something. States are JSON.
   *
   * @param by - milliseconds: what time does by itself has happened by then at the latest
   */
  step(state: State, operation: Operation<Op>, by: number): readonly State[];
}

/** The first answer that no single correct object could have given, or that there is none; `undecided`: there is too much to try. */
export type Verdict<State, Op> =
  | { readonly kind: 'linearizable' | 'undecided' }
  | { readonly kind: 'impossible'; readonly operation: Operation<Op>; readonly states: readonly State[] };

/** A state that may be, and the calls under way that have taken place in it. */
interface Config<State> {
  readonly state: State;
  readonly done: readonly number[];
}

/** Many times what a listing needs. */
const MOST_CONFIGS = 50_000;

/**
 * Checks that one correct object could have given all these answers, each between its call and its answer: linearizability
 * (Herlihy and Wing), with the search of Wing and Gong, call by call as Lowe does it ("Testing for linearizability", 2017), and states seen before left out.
 */
export function check<State, Op>(model: Model<State, Op>, history: readonly Operation<Op>[]): Verdict<State, Op> {
  let configs = distinct<State>([{ state: model.initial, done: [] }]);
  const search = new Search(model, history);
  for (const { at, index, isAnswer } of momentsOf(history)) {
    if (!isAnswer) {
      search.begin(index);
      continue;
    }
    const after = search.answer(configs, index, at);
    if (after === undefined) return { kind: 'undecided' };
    const operation = history[index];
    if (after.size === 0 && operation !== undefined) {
      return { kind: 'impossible', operation, states: [...configs.values()].map(({ state }) => state) };
    }
    configs = after;
  }
  return { kind: 'linearizable' };
}

/** The calls under way, and where they can lead. */
class Search<State, Op> {
  readonly #model: Model<State, Op>;
  readonly #history: readonly Operation<Op>[];
  readonly #underWay = new Set<number>();
  readonly #texts = new Map<number, string>();

  constructor(model: Model<State, Op>, history: readonly Operation<Op>[]) {
    this.#model = model;
    this.#history = history;
  }

  begin(index: number): void {
    this.#underWay.add(index);
  }

  /** The configurations in which the call has taken place, and has its answer. */
  answer(
    configs: ReadonlyMap<string, Config<State>>,
    index: number,
    at: number,
  ): Map<string, Config<State>> | undefined {
    const seen = new Map(configs);
    const found: Config<State>[] = [];
    for (const config of seen.values()) {
      if (config.done.includes(index)) {
        found.push({ state: config.state, done: config.done.filter((one) => one !== index) });
        continue;
      }
      for (const next of this.#from(config, at)) seen.set(keyOf(next), next);
      if (seen.size > MOST_CONFIGS) return undefined;
    }
    this.#underWay.delete(index);
    return distinct(found);
  }

  /** The configurations that are one call further. */
  #from({ state, done }: Config<State>, at: number): Config<State>[] {
    const tried = new Set<string>();
    return [...this.#underWay].flatMap((index) => {
      const operation = this.#history[index];
      if (operation === undefined || done.includes(index)) return [];
      // Of calls that are the same and never answered, the order does not matter.
      if (operation.returned === Infinity) {
        const text = this.#textOf(index, operation.op);
        if (tried.has(text)) return [];
        tried.add(text);
      }
      const after = [...done, index].sort((a, b) => a - b);
      return this.#model.step(state, operation, at).map((next) => ({ state: next, done: after }));
    });
  }

  #textOf(index: number, op: Op): string {
    const text = this.#texts.get(index) ?? JSON.stringify(op);
    this.#texts.set(index, text);
    return text;
  }
}

const keyOf = <State>({ state, done }: Config<State>) => JSON.stringify([done, state]);

function distinct<State>(configs: readonly Config<State>[]): Map<string, Config<State>> {
  return new Map(configs.map((config) => [keyOf(config), config]));
}

/** All calls and answers in the order of time. Of one instant calls come first: they may have been at once. */
function momentsOf(history: readonly Operation<unknown>[]) {
  return history
    .flatMap(({ invoked, returned }, index) => [
      { at: invoked, index, isAnswer: false },
      ...(returned === Infinity ? [] : [{ at: returned, index, isAnswer: true }]),
    ])
    .sort((a, b) => a.at - b.at || Number(a.isAnswer) - Number(b.isAnswer));
}
