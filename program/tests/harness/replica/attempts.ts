import fc from 'fast-check';
import {
  ACCEPTED,
  CARRIED,
  CLAIMED,
  ENDED,
  legAt,
  type Machine,
  type Move,
  type MoveName,
  type State,
} from '../../../../packages/protocol/tests/termsModel/machine.js';

/** Instructions about a leg. */
const VERBS = [
  'accept',
  'take',
  'vacate',
  'claim',
  'dispute',
  'confirm',
  'rule',
  'agree',
  'default',
  'assign',
] as const;
/** Instructions that end the package or task. */
const OF_WHOLE = ['reclaim', 'settle'] as const;
export type Verb = (typeof VERBS)[number] | (typeof OF_WHOLE)[number];
const SIGNERS = [
  'courier',
  'next courier',
  'lister',
  'receiver',
  'funder',
  'arbiter',
  'coordinator',
  'stranger',
] as const;
/** The first signer; an agreement is signed by the leg's courier too. */
export type Signer = (typeof SIGNERS)[number];

/** One instruction that somebody sends. */
export interface Attempt {
  readonly verb: Verb;
  readonly leg: number;
  readonly signer: Signer;
  /** Of a ruling; the other amounts are taken from it too. */
  readonly percent: number;
}

/** The next event: time passes, somebody makes a legal move, or somebody tries anything. */
export type Chance =
  | { readonly kind: 'tick' }
  | { readonly kind: 'legal'; readonly choice: number; readonly percent: number }
  | {
      readonly kind: 'any';
      readonly verb: Verb;
      readonly leg: number;
      readonly signer: Signer | 'usual';
      readonly percent: number;
    };

/** Windows and deadline in ticks. */
export interface Setting {
  readonly isTask: boolean;
  readonly legs: number;
  readonly carry: number;
  readonly handoff: number;
  readonly review: number;
  readonly arbitration: number;
  readonly deadline: number;
  /** True if the program is paused once there is something to accept. */
  readonly isPaused: boolean;
}

const window = fc.integer({ min: 1, max: 5 });
const percent = fc.nat(100);
/** Choices are below 1,000. */
const SELDOM = 150;
const setting: fc.Arbitrary<Omit<Setting, 'isTask'>> = fc.record({
  legs: fc.integer({ min: 1, max: 4 }),
  carry: window,
  handoff: window,
  review: window,
  arbitration: window,
  deadline: fc.integer({ min: 3, max: 12 }),
  isPaused: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
const chance: fc.Arbitrary<Chance> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tick' as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('legal' as const), choice: fc.nat(999), percent }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('any' as const),
      verb: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...VERBS) },
        { weight: 1, arbitrary: fc.constantFrom(...OF_WHOLE) },
      ),
      leg: fc.nat(7),
      signer: fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom(...SIGNERS) },
        { weight: 1, arbitrary: fc.constant('usual' as const) },
      ),
      percent,
    }),
  },
);
/** A package or task with terms, and what happens to it. */
export function games(isTask: boolean): fc.Arbitrary<[Setting, Chance[]]> {
  return fc.tuple(
    setting.map((settings) => ({ ...settings, isTask })),
    fc.array(chance, { minLength: 40, maxLength: 120, size: 'max' }),
  );
}

const MOVES: Readonly<Record<Verb, readonly MoveName[]>> = {
  accept: ['accept'],
  take: ['accept and take', 'take'],
  vacate: ['vacate', 'vacate overdue'],
  claim: ['claim'],
  dispute: ['dispute'],
  confirm: ['confirm', 'hand off', 'crank', 'pay ruling'],
  rule: ['rule', 'rule 0'],
  agree: ['agree', 'agree 0'],
  default: ['default'],
  assign: ['assign'],
  reclaim: ['reclaim', 'reclaim early'],
  settle: ['settle'],
};
const ZERO: readonly MoveName[] = ['rule 0', 'agree 0'];

function isOfWhole(verb: Verb): boolean {
  return OF_WHOLE.some((each) => each === verb);
}

/** The move that the attempt is in the model; undefined: it is refused. */
export function expected(machine: Machine, state: State, attempt: Attempt): Move | undefined {
  const { leg } = attempt;
  // An arbiter's signature makes a ruling, also with the courier's signature beside its own.
  const verb = attempt.verb === 'agree' && attempt.signer === 'arbiter' ? 'rule' : attempt.verb;
  return machine.moves(state).find((move) => {
    const isOfLeg = isOfWhole(verb) || move.leg === leg;
    if (!MOVES[verb].includes(move.name) || !isOfLeg || isForHonest(move)) return false;
    const isRuling = verb === 'rule' || verb === 'agree';
    if (isRuling && ZERO.includes(move.name) !== (attempt.percent === 0)) return false;
    return maySign(machine, state, move, attempt.signer);
  });
}

/** The ledger knows no honesty: of both couriers whom the model may assign, one is enough. */
function isForHonest(move: Move): boolean {
  return move.name === 'assign' && legAt(move.next, move.leg).honest;
}

function maySign(machine: Machine, state: State, { name, by, leg, courier }: Move, signer: Signer): boolean {
  switch (by) {
    case 'courier':
      return signer === (courier === leg ? 'courier' : 'next courier');
    case 'lister':
      if (signer === 'receiver') return name === 'confirm' || name === 'dispute';
      return signer === 'lister' || (signer === 'funder' && name === 'reclaim early');
    case 'agreement':
      return signer === 'lister';
    case 'lister or coordinator':
      return ['funder', 'coordinator'].includes(signer) || (signer === 'lister' && name === 'reclaim');
    case 'coordinator':
    case 'arbiter':
      return signer === by;
    case 'anyone':
      // Nobody forfeits by the own signature, and a courier that could take a claimed leg over does not pay it otherwise.
      if (name === 'vacate overdue') return signer !== 'courier';
      return name !== 'crank' || signer !== 'next courier' || !isTakeover(machine, state);
  }
  throw new Error('Nobody makes such a move');
}

/** Reports whether the next courier's signature says that it has the parcel of the current leg now. */
export function isTakeover({ settings }: Machine, { tick, current, legs }: State): boolean {
  const [leg, next] = [legs[current], legs[current + 1]];
  const isHeld = leg?.status === CARRIED || leg?.status === CLAIMED;
  return isHeld && next?.status === ACCEPTED && tick < settings.deadline;
}

/** The attempt that makes the n-th legal move, counted around; seldom one that ends all or vacates a leg. */
export function legalAttempt(
  machine: Machine,
  state: State,
  { choice, percent: wanted }: { readonly choice: number; readonly percent: number },
): Attempt | undefined {
  const all = machine.moves(state).filter((move) => !isForHonest(move));
  const going = all.filter(({ name, next }) => next.current !== ENDED && !name.startsWith('vacate'));
  const moves = going.length === 0 || choice < SELDOM ? all : going;
  const move = moves[choice % Math.max(moves.length, 1)];
  return move && attemptOf(move, wanted);
}

/** The usual signer of such an instruction. */
const USUAL: Readonly<Record<Verb, Signer>> = {
  accept: 'courier',
  take: 'courier',
  vacate: 'courier',
  claim: 'courier',
  dispute: 'lister',
  confirm: 'next courier',
  rule: 'arbiter',
  agree: 'lister',
  default: 'stranger',
  assign: 'coordinator',
  reclaim: 'funder',
  settle: 'funder',
};

/** The attempt of a chance, about one of so many legs: of the current one more often than of each other. */
export function anyAttempt({ current }: State, legs: number, chance: Chance & { readonly kind: 'any' }): Attempt {
  const { verb, signer, percent, leg } = chance;
  const of = leg >= legs ? current % legs : leg;
  return { verb, leg: of, signer: signer === 'usual' ? USUAL[verb] : signer, percent };
}

/** How the holder of the role makes a move. */
export function attemptOf({ name, by, leg: index, courier }: Move, wanted = 50): Attempt {
  const verb = [...VERBS, ...OF_WHOLE].find((each) => MOVES[each].includes(name)) ?? 'settle';
  const leg = isOfWhole(verb) ? 0 : index;
  const rulingPercent = ZERO.includes(name) ? 0 : Math.max(wanted, 1);
  const signers = {
    lister: 'lister',
    agreement: 'lister',
    'lister or coordinator': 'funder',
    anyone: 'stranger',
  } as const;
  if (by === 'courier')
    return { verb, leg, signer: courier === index ? 'courier' : 'next courier', percent: rulingPercent };
  const signer = by === 'coordinator' || by === 'arbiter' ? by : signers[by];
  return { verb, leg, signer, percent: rulingPercent };
}
