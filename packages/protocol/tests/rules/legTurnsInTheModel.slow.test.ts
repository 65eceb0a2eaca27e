import { describe, expect, it } from 'vitest';
import type { MoveAction } from '../../src/contract/operations/turns.js';
import type { LegActor } from '../../src/contract/resources/legTurn.js';
import { LEG_MOVES, type LegMove, type LegStage } from '../../src/contract/statuses.js';
import { isFinal, keyMoves, paysEarly } from '../../src/rules/legMoves.js';
import { type ClockedListing, legClockEnd, type LegTurn, legTurn } from '../../src/rules/legTurns.js';
import { STAKES_HELD, stageAfter } from '../../src/rules/stakes.js';
import {
  legAt,
  Machine,
  type Move,
  type MoveName,
  STAKES_HELD as STAKES_IN_THE_MODEL,
  type State,
  STATUS_NAMES,
} from '../termsModel/machine.js';
import { reached } from '../termsModel/stateSpace.js';

/** Milliseconds: three legs take ten seconds of the processor, which a busy machine gives late. */
const PATIENCE = 300_000;
const TICK_MS = 1000;
const [SHIPPER, RECEIVER, ARBITER, STRANGER] = ['shipper', 'receiver', 'arbiter', 'stranger'];
const courier = (index: number) => `courier ${index}`;
const partiesOf = ({ legs }: State) => [
  SHIPPER,
  RECEIVER,
  ARBITER,
  STRANGER,
  ...legs.map((_, index) => courier(index)),
];

/** A state of the model as the service sees it: a tick is a second. The legs of a task that follow have no agent yet. */
function listingOf(machine: Machine, { tick, current, legs }: State): ClockedListing {
  const { isTask, carry, handoff, review, arbitration, deadline } = machine.settings;
  return {
    kind: isTask ? 'task' : 'package',
    terms: {
      receiverPubkey: RECEIVER,
      arbiterPubkey: ARBITER,
      carrySec: carry,
      handoffSec: handoff,
      reviewSec: review,
      arbitrationSec: arbitration,
      cosignedPickup: false,
    },
    deadline: new Date(deadline * TICK_MS),
    shipperPubkey: SHIPPER,
    legs: (isTask ? legs.slice(0, current + 1) : legs).map(({ status, age }, index) => ({
      agentPubkey: courier(index),
      stage: stageOf(status),
      since: new Date((tick - age) * TICK_MS),
    })),
  };
}

const stageOf = (status: number) => STATUS_NAMES[status] as LegStage;

/**
 * Reports whether the party may sign this move of the model, which does not tell a receiver from its
 * lister, lets couriers forfeit their own stake, and the next one pay a claim without having the parcel.
 */
function maySign(party: string, { by, name, courier: index }: Move, moves: readonly Move[]): boolean {
  const isCourier = party === courier(index);
  if (by === 'anyone') {
    const takesOver = moves.some((move) => move.name === 'hand off' && courier(move.courier) === party);
    return !(isCourier && name === 'vacate overdue') && !(takesOver && name === 'crank');
  }
  if (by === 'courier') return isCourier;
  if (by === 'lister') {
    return party === SHIPPER || (party === RECEIVER && (name === 'confirm' || name === 'dispute'));
  }
  if (by === 'agreement') return party === SHIPPER || isCourier;
  return by === 'arbiter' && party === ARBITER;
}

/** The service's name for a move of the model. Moves of coordinators, and the end of a package, are no moves of a leg. */
function actionOf({ name, by }: Move): MoveAction | undefined {
  const actions: Partial<Record<MoveName, MoveAction>> = {
    accept: 'accept',
    'accept and take': 'take',
    take: 'take',
    vacate: by === 'anyone' ? 'crank' : 'vacate',
    'vacate overdue': 'crank',
    claim: 'claim',
    dispute: 'dispute',
    confirm: 'confirm',
    'hand off': 'confirm',
    crank: 'crank',
    'pay ruling': 'crank',
    rule: 'rule',
    'rule 0': 'rule',
    default: 'crank',
    agree: 'agree',
    'agree 0': 'agree',
  };
  return actions[name];
}

/** The move of the model as a change of its leg, and of the next one at a handoff. */
function changeOf({ name, by }: Move): LegMove | undefined {
  const changes: Partial<Record<MoveName, LegMove>> = {
    accept: 'accept',
    'accept and take': 'take',
    take: 'take',
    vacate: by === 'anyone' ? 'evict' : 'leave',
    'vacate overdue': 'evict',
    claim: 'claim',
    dispute: 'dispute',
    confirm: 'confirm',
    'hand off': 'confirm',
    crank: 'confirm',
    'pay ruling': 'confirm',
    rule: 'rule',
    'rule 0': 'reject',
    default: 'rule',
    agree: 'rule',
    'agree 0': 'reject',
  };
  return changes[name];
}

const namesOf = (actions: Iterable<MoveAction>) => [...new Set(actions)].sort().join(', ');

type See = (listing: ClockedListing, state: State, moves: Move[], now: number) => void;

interface Play {
  readonly kind: ClockedListing['kind'];
  readonly legs: number;
}

const statesOf = new Map<string, readonly State[]>();

/** Shows every state of play of a listing, and what the model allows there; returns how many there are. */
function everyState({ kind, legs }: Play, see: See): number {
  const machine = new Machine(legs, kind === 'task');
  const states = statesOf.get(kind + legs) ?? reached(machine);
  statesOf.set(kind + legs, states);
  for (const state of states) see(listingOf(machine, state), state, machine.moves(state), state.tick * TICK_MS);
  return states.length;
}

describe.each([
  { kind: 'task', legs: 1, states: 550 },
  { kind: 'task', legs: 2, states: 1085 },
  { kind: 'package', legs: 1, states: 640 },
  { kind: 'package', legs: 2, states: 10_965 },
  { kind: 'package', legs: 3, states: 136_430 },
] as const)('in every state of play of a $kind of $legs legs', { timeout: PATIENCE }, ({ states, ...play }) => {
  it('[T-61] each party can do what the model allows it, and nothing else', () => {
    const differences: string[] = [];
    const seen = everyState(play, (listing, state, moves, now) => {
      for (const party of partiesOf(state)) {
        for (const index of state.legs.keys()) {
          const allowed = moves.filter((move) => move.leg === index && maySign(party, move, moves)).map(actionOf);
          const expected = namesOf(allowed.filter((action) => action !== undefined));
          const found = namesOf(keyMoves(listing, index, party, now).actions);
          if (found !== expected) {
            differences.push(`${party}, leg ${index}: ${found}; the model: ${expected}; ${JSON.stringify(state)}`);
          }
        }
      }
    });
    expect(differences.slice(0, 5)).toEqual([]);
    expect(seen).toBe(states);
  });

  it('[T-61, T-97] first comes what is awaited, and nothing that pays comes first before the parcel or the result is there', () => {
    const faults: string[] = [];
    everyState(play, (listing, state, _, now) => {
      for (const party of partiesOf(state)) {
        for (const index of state.legs.keys()) {
          const cosigned = { ...listing, terms: { ...listing.terms, cosignedPickup: true } };
          const fault = faultOfOrder(listing, index, party, now) ?? faultOfOrder(cosigned, index, party, now);
          if (fault) faults.push(`${party}, leg ${index}: ${fault}; ${JSON.stringify(state)}`);
        }
      }
    });
    expect(faults.slice(0, 5)).toEqual([]);
  });

  it('[T-52] silence decides from the end of the clock on, and not before', () => {
    const differences: string[] = [];
    everyState(play, (listing, state, moves, now) => {
      for (const index of listing.legs.keys()) {
        const end = legClockEnd(listing, index);
        const isOver = end !== null && end.getTime() <= now;
        if (isOver !== isLostBySilence(moves, state, index)) {
          differences.push(`leg ${index}, ${end?.getTime()}: ${JSON.stringify(state)}`);
        }
      }
    });
    expect(differences.slice(0, 5)).toEqual([]);
  });

  it('[T-61] who is to act can do something, and after the clock another can', () => {
    const differences: string[] = [];
    everyState(play, (listing, state, _, now) => {
      for (const index of listing.legs.keys()) {
        const wrong = faultOfTurn(listing, index, legTurn(listing, index, now), now);
        if (wrong) differences.push(`leg ${index}: ${wrong}; ${JSON.stringify(state)}`);
      }
    });
    expect(differences.slice(0, 5)).toEqual([]);
  });

  it('[T-51] every move leads where the model leads', () => {
    const found = new Map<string, Set<string>>();
    everyState(play, (_, state, moves) => {
      for (const move of moves) {
        const change = changeOf(move);
        if (change === undefined) continue;
        note(found, change, state, move, move.leg);
        if (move.name === 'hand off') note(found, 'handover', state, move, move.leg + 1);
      }
    });
    for (const [change, pairs] of found) {
      const { from = [], to } = LEG_MOVES[play.kind][change as LegMove] ?? {};
      expect([change, ...[...pairs].sort()]).toEqual([change, ...from.map((stage) => `${stage} to ${to}`).sort()]);
    }
    // A leg alone has none to take over from.
    const changes = Object.keys(LEG_MOVES[play.kind]).filter((change) => change !== 'handover' || play.legs > 1);
    expect([...found.keys()].sort()).toEqual(changes.sort());
  });
});

/** Reports whether others may act because of silence: by a move of the leg, or by a reclaim of what it holds. */
function isLostBySilence(moves: readonly Move[], state: State, index: number): boolean {
  const stage = stageOf(legAt(state, index).status);
  const isReclaimed = moves.some(({ name }) => name === 'reclaim') && stage === 'carried';
  const isUnfilled = stage === 'vacant' && !moves.some(({ name, leg }) => name === 'assign' && leg === index);
  const cranks = moves.filter((move) => move.leg === index && actionOf(move) === 'crank');
  return isReclaimed || isUnfilled || cranks.some(({ name }) => name !== 'pay ruling');
}

/** The fault in what a key is told first, if any. */
function faultOfOrder(listing: ClockedListing, index: number, party: string, now: number): string | undefined {
  const { awaited, actions, makeTurn } = keyMoves(listing, index, party, now);
  const [first] = actions;
  const stage = listing.legs[index]?.stage;
  if (stage === undefined || first === undefined)
    return awaited === null && !makeTurn ? undefined : `${awaited} of nothing`;
  if (awaited !== null && first !== awaited) return `${first} comes before ${awaited}, which is awaited`;
  if (awaited !== null && !makeTurn) return `${awaited} is awaited and not told`;
  const pays = first === 'confirm' || (first === 'crank' && (stage === 'claimed' || stage === 'ruled'));
  const isThere = stage === 'claimed' || stage === 'ruled' || stage === 'carried';
  if (makeTurn && pays && !isThere) return `${first} pays first while the leg is ${stage}`;
  if (pays && awaited === first && stage === 'carried')
    return 'a payment is awaited of who cannot know that the parcel is there';
  if (actions.some((action) => paysEarly(action, stage)) && actions.at(-1) !== 'confirm')
    return 'what pays early is not last';
  return actions.findIndex((action) => isFinal(action, stage)) === 0 &&
    actions.some((action) => !isFinal(action, stage)) &&
    awaited !== first
    ? `${first} is final and comes first unasked`
    : undefined;
}

function note(found: Map<string, Set<string>>, change: LegMove, state: State, { next }: Move, index: number) {
  const [before, after] = [state, next].map((each) => stageOf(legAt(each, index).status));
  const pairs = found.get(change) ?? new Set();
  found.set(change, pairs.add(`${before} to ${after}`));
}

/** The fault in whose turn it is said to be, if any. */
function faultOfTurn(listing: ClockedListing, index: number, turn: LegTurn | null, now: number): string | undefined {
  const can = (party: string) => keyMoves(listing, index, party, now).actions.filter((action) => action !== 'agree');
  const stage = listing.legs[index]?.stage;
  if (turn === null) return stage === 'completed' ? undefined : 'nobody is said to be on turn';
  const isOver = turn.until !== null && turn.until.getTime() <= now;
  const isAnyone = can(STRANGER).length > 0;
  if (isAnyone !== (turn.actor === 'anyone')) return `${turn.actor}, and a stranger can ${can(STRANGER).join()}`;
  const worker = listing.kind === 'package' ? 'courier' : 'agent';
  if (isOver && turn.actor === worker) return `its ${worker} is on turn after its clock`;
  if (turn.actor === 'nobody' && turn.until !== null) return 'a clock of nobody';
  const lister = listing.kind === 'package' ? 'shipper' : 'poster';
  const acting: Partial<Record<LegActor, string>> = {
    [worker]: courier(index),
    [lister]: SHIPPER,
    receiver: RECEIVER,
    arbiter: ARBITER,
    anyone: STRANGER,
  };
  const party = acting[turn.actor];
  // From the deadline on what the lister does is to reclaim the listing, which is no move of a leg.
  const isReclaim = turn.actor === lister && now >= listing.deadline.getTime();
  return party === undefined || isReclaim || can(party).length > 0 ? undefined : `${turn.actor} can do nothing`;
}

it.each(['package', 'task'] as const)(
  '[T-51] no move of a %s leads out of a completed leg, or to another worker',
  (kind) => {
    for (const move of Object.keys(LEG_MOVES.package) as LegMove[]) {
      expect(stageAfter(kind, 'completed', move)).toBeUndefined();
      expect(stageAfter(kind, 'vacant', move)).toBeUndefined();
      expect(stageAfter(kind, 'pending', move)).not.toBe('pending');
    }
    expect(stageAfter(kind, 'pending', 'take')).toBe(kind === 'package' ? 'carried' : undefined);
  },
);

it('[T-18] a leg holds as many stakes as in the model', () => {
  const held = STATUS_NAMES.map((_, status) => STAKES_HELD[stageOf(status)]);
  expect(held).toEqual(STAKES_IN_THE_MODEL);
});
