import type { Model, Operation } from './linearizable.js';

/**
 * What an answer says about a listing, by the name of the fact; null: it is not so yet. What is not named it does not say. A fact once
 * true stays as it is.
 */
export type Facts = Readonly<Record<string, string | null>>;

/** A listing of which facts become true, and none ever ends. */
export const FACTS: Model<Facts, Facts> = {
  initial: {},
  step(known, { op }) {
    const isSo = Object.entries(op).every(([fact, value]) => (known[fact] ?? null) === null || known[fact] === value);
    return isSo ? [inOrder({ ...known, ...truths(op) })] : [];
  },
};

const truths = (facts: Facts) => Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
const inOrder = (facts: Facts): Facts =>
  Object.fromEntries(Object.entries(facts).sort(([one], [other]) => (one < other ? -1 : 1)));

/** The status of a bid as a list shows it; null: it is not there. */
export type BidOp = { readonly kind: 'bid' } | { readonly kind: 'read'; readonly status: string | null };

/** Nothing leads out of these. */
const OVER: ReadonlySet<string | null> = new Set(['withdrawn', 'replaced']);

/** A bid, which is there from the answer on, and never comes back once it is over. */
export const BID: Model<string | null, BidOp> = {
  initial: null,
  step(status, { op }) {
    if (op.kind === 'bid') return status === null ? ['live'] : [];
    if (status === null || op.status === null) return status === op.status ? [status] : [];
    // What was chosen just before its time was up is seen a little later.
    const isBack = OVER.has(status) ? op.status !== status : status === 'expired' && op.status === 'live';
    return isBack ? [] : [op.status];
  },
};

/** A call about a leg of a digital task. `said`: what was answered; undefined: nothing. */
export type LegOp =
  | {
      readonly kind: 'claim';
      readonly agent: string;
      readonly said: 'done' | 'leg_taken' | 'agent_barred' | undefined;
      /** How long an agent has a leg at least. */
      readonly timeoutMs: number;
    }
  | {
      readonly kind: 'result';
      readonly agent: string;
      readonly hash: string;
      readonly said: 'done' | 'not_your_leg' | 'result_submitted' | undefined;
    }
  | {
      readonly kind: 'release';
      readonly agent: string;
      readonly said: 'barred' | 'withdrawn' | 'not_your_leg' | 'result_submitted' | undefined;
    }
  | { readonly kind: 'read'; readonly agent: string | null; readonly status: string; readonly hasResult: boolean };

/** A leg of a digital task without terms. */
export interface LegState {
  readonly status: string;
  readonly agent: string | null;
  /** Its agent has until then at least, milliseconds. */
  readonly until: number;
  /** Its release is under way. */
  readonly isLeaving: boolean;
  /** Of the result that was handed in. */
  readonly hash: string | null;
  readonly barred: readonly string[];
}

const OPEN = { status: 'pending', agent: null, until: 0, isLeaving: false, hash: null } as const;
/** The service's clock and that of the clients are one, read a little later. */
const SLACK_MS = 1_000;

type Kind<K extends LegOp['kind']> = Extract<LegOp, { kind: K }>;

/** One leg: it has one agent at a time (M-54), takes one result of it (M-58), and never comes back to who gave it up (M-57). */
export const LEG: Model<LegState, LegOp> = {
  initial: { ...OPEN, barred: [] },
  step: (state, operation, by) => withTime(state, by).flatMap((now) => act(now, operation)),
};

/** What may have happened by itself: its agent's time is up, its release has landed. */
function withTime(state: LegState, by: number): LegState[] {
  const states = [state];
  const { agent, hash, isLeaving, until, barred } = state;
  if (agent === null || hash !== null || state.status === 'failed') return states;
  const leaving = { ...state, isLeaving: true };
  if (!isLeaving && by + SLACK_MS >= until) states.push(leaving);
  if (states.includes(leaving) || isLeaving) states.push({ ...OPEN, barred: [...barred, agent].sort() });
  return states;
}

function act(state: LegState, { op, invoked }: Operation<LegOp>): LegState[] {
  switch (op.kind) {
    case 'claim':
      return claimed(state, op, invoked);
    case 'result':
      return handedIn(state, op);
    case 'release':
      return givenBack(state, op);
    case 'read':
      break;
  }
  return shown(state, op);
}

function claimed(state: LegState, { agent, said, timeoutMs }: Kind<'claim'>, at: number): LegState[] {
  const isBarred = state.barred.includes(agent);
  if (said === 'agent_barred') return isBarred ? [state] : [];
  const isOver = state.status === 'completed' || state.status === 'failed';
  if (said === 'leg_taken') return isOver || (state.agent !== null && state.agent !== agent) ? [state] : [];
  if (said === 'done' && state.agent === agent && !state.isLeaving) return [state];
  const isOpen = state.agent === null && !isBarred && !isOver;
  return isOpen ? [{ ...state, agent, until: at + timeoutMs }] : [];
}

function handedIn(state: LegState, { agent, hash, said }: Kind<'result'>): LegState[] {
  const isIts = state.agent === agent;
  if (said === 'not_your_leg') return !isIts || state.isLeaving ? [state] : [];
  if (said === 'result_submitted') return isIts && state.hash !== null && state.hash !== hash ? [state] : [];
  if (!isIts || state.isLeaving) return [];
  if (state.hash !== null) return said === 'done' && state.hash === hash ? [state] : [];
  return state.status === 'failed' ? [] : [{ ...state, hash }];
}

function givenBack(state: LegState, { agent, said }: Kind<'release'>): LegState[] {
  const isIts = state.agent === agent;
  if (said === 'not_your_leg') return !isIts || state.isLeaving ? [state] : [];
  if (said === 'result_submitted') return isIts && state.hash !== null ? [state] : [];
  if (!isIts || state.hash !== null || state.status === 'failed') return [];
  const after: LegState[] = [];
  if (said !== 'withdrawn' && (said === 'barred' || !state.isLeaving)) after.push({ ...state, isLeaving: true });
  if (said !== 'barred' && !state.isLeaving && state.status === 'pending')
    after.push({ ...OPEN, barred: state.barred });
  return after;
}

/** Assignment, payment and the task's end happen by themselves; none of them is taken back. */
function shown(state: LegState, { agent, status, hasResult }: Kind<'read'>): LegState[] {
  if (status === 'failed') return [{ ...state, status }];
  if (state.status === 'failed' || agent !== state.agent || hasResult !== (state.hash !== null)) return [];
  const order = ['pending', 'in_progress', 'completed'];
  const isPossible = status === 'pending' || (agent !== null && (status === 'in_progress' || hasResult));
  return isPossible && order.indexOf(status) >= order.indexOf(state.status) ? [{ ...state, status }] : [];
}
