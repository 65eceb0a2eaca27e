// Games of honest parties against everybody else. An honest party signs one message a tick, at a moment that its enemies choose, and
// the message lands at a later moment of their choice: in the same tick or, when landing is late, in the next one. All others are one
// coalition that may make any legal move at any time, or none.
import { ENDED, legAt, type Move, type MoveName, type State } from './machine.js';
import type { Place, StateSpace, Step } from './stateSpace.js';

/** A message that an honest party signs: a move of a leg. */
export interface Message {
  readonly name: MoveName;
  readonly leg: number;
}

export interface Player {
  readonly name: string;
  /** The leg that this party carries or works on; a lister has none. */
  readonly leg: number | undefined;
  /** The messages that the party's strategy signs here; several where the world decides, `undefined` where it signs nothing. */
  choices(state: State): readonly (Message | undefined)[];
  /** Reports whether nobody can make the move without this party. */
  holds(state: State, move: Move): boolean;
  /** Reports whether the party may make the move, alone or like anyone. */
  canSign(state: State, move: Move): boolean;
  /** The wrong that the move does to the party's rights, if any. */
  wrong(state: State, move: Move): string | undefined;
  /** The last tick that is played for this party. */
  readonly lastTick: number;
  /** The fault of this state after the last tick, if any. */
  overdue(state: State): string | undefined;
}

export interface Fault {
  readonly player: string;
  readonly what: string;
  readonly state: State;
}

export interface Played {
  /** Distinct situations: a state together with what every party has signed. */
  readonly situations: number;
  /** The latest tick in which the game is not over. */
  readonly latest: number;
  readonly faults: readonly Fault[];
}

const ENOUGH_FAULTS = 4;
const MAX_LEGS = 8;
const CODES = 1_024;
/** A party's part of a situation: it may sign; it is done for this tick; or the number of what it signed, twice for late landing. */
const [MAY_SIGN, DONE, FIRST_MESSAGE] = [0, 1, 2];

const NAMES: readonly MoveName[] = [
  'accept',
  'accept and take',
  'take',
  'vacate',
  'vacate overdue',
  'claim',
  'dispute',
  'confirm',
  'hand off',
  'crank',
  'pay ruling',
  'default',
  'reclaim',
  'reclaim early',
  'settle',
];

function codeOf({ name, leg }: Message, isDelayed: boolean): number {
  return FIRST_MESSAGE + (NAMES.indexOf(name) * MAX_LEGS + leg) * 2 + Number(isDelayed);
}

function messageOf(code: number): Message & { readonly isDelayed: boolean } {
  const message = (code - FIRST_MESSAGE) >> 1;
  const name = NAMES[Math.floor(message / MAX_LEGS)];
  if (!name) throw new Error(`No message has the code ${code}`);
  return { name, leg: message % MAX_LEGS, isDelayed: (code - FIRST_MESSAGE) % 2 === 1 };
}

interface Situation {
  readonly place: Place;
  /** One a player. */
  readonly codes: readonly number[];
}

export interface Game {
  readonly space: StateSpace;
  readonly players: readonly Player[];
  /** True if a message may also land in the tick after the one in which it was signed. */
  readonly landsLate?: boolean;
}

/** Plays every game from these states. */
export function play(game: Game, starts: Iterable<State>): Played {
  const { space, players } = game;
  const lastTick = Math.min(...players.map((player) => player.lastTick));
  const seen = new Set<number>();
  const open: Situation[] = [];
  const faults: Fault[] = [];
  let latest = 0;
  const reach = (situation: Situation) => {
    if (situation.place.state.current === ENDED) return;
    const key = situation.codes.reduce((sum, code) => sum * CODES + code, situation.place.id);
    if (seen.has(key)) return;
    seen.add(key);
    open.push(situation);
  };
  for (const state of starts) reach({ place: space.at(state), codes: players.map(() => MAY_SIGN) });
  for (let situation = open.pop(); situation && faults.length < ENOUGH_FAULTS; situation = open.pop()) {
    const { state } = situation.place;
    latest = Math.max(latest, state.tick);
    if (state.tick > lastTick) faults.push(...faultsOf(players, state, (player) => player.overdue(state)));
    else for (const next of after(game, situation, faults)) reach(next);
  }
  return { situations: seen.size, latest, faults };
}

function faultsOf(players: readonly Player[], state: State, judge: (player: Player) => string | undefined): Fault[] {
  return players.flatMap((player) => {
    const what = judge(player);
    return what === undefined ? [] : [{ player: player.name, what, state }];
  });
}

function after(game: Game, situation: Situation, faults: Fault[]): Situation[] {
  const { place, codes } = situation;
  const { space, players } = game;
  const made = (move: Move) =>
    faults.push(...faultsOf(players, place.state, (player) => player.wrong(place.state, move)));
  const next: Situation[] = [];
  for (const step of space.steps(place)) {
    if (!isHostile(players, place.state, step.move)) continue;
    made(step.move);
    next.push({ place: step.to, codes: codesAfter(space, codes, step) });
  }
  for (const [index, player] of players.entries()) {
    const code = codes[index] ?? DONE;
    const turned = (to: Place, own: number): Situation => ({ place: to, codes: codes.with(index, own) });
    if (code === MAY_SIGN) {
      for (const choice of player.choices(place.state)) next.push(turned(place, choice ? codeOf(choice, false) : DONE));
    } else if (code !== DONE) {
      const message = messageOf(code);
      if (game.landsLate && !message.isDelayed) next.push(turned(space.tick(place), codeOf(message, true)));
      const landed = stepOf(space, place, player, message);
      if (landed) made(landed.move);
      next.push(turned(landed?.to ?? place, DONE));
    }
  }
  if (codes.every((code) => code === DONE)) {
    next.push({ place: space.tick(place), codes: codes.map(() => MAY_SIGN) });
  }
  return next;
}

function stepOf(space: StateSpace, place: Place, player: Player, { name, leg }: Message): Step | undefined {
  return space
    .steps(place)
    .find(({ move }) => move.name === name && move.leg === leg && player.canSign(place.state, move));
}

/** Reports whether the coalition makes this move without any honest party; only legs of honest couriers who play go to one. */
function isHostile(players: readonly Player[], state: State, move: Move): boolean {
  if (players.some((player) => player.holds(state, move))) return false;
  return move.name !== 'assign' || !legAt(move.next, move.leg).honest || players.some(({ leg }) => leg === move.leg);
}

/** With one formation number for the whole swarm, every replacement spoils what was signed before. */
function codesAfter({ machine }: StateSpace, codes: readonly number[], { move }: Step): readonly number[] {
  if (move.name !== 'assign' || !machine.mistakes.has('one formation number for the swarm')) return codes;
  return codes.map((code) => (code === MAY_SIGN ? MAY_SIGN : DONE));
}
