import type { MoveAction } from '@legwork/sdk';
import { parseId } from '../optionValues.js';
import { type AgentCommand, id, needed, option, whole } from './agentCommand.js';

const leg = id('leg', 'id of the leg');
const parcel = option('--package <id>', 'id of its package, where "legwork turns" does not list the leg').argParser(
  parseId,
);
const text = needed(option('--file <file>', 'what shows it, text of at most 256 KiB; - is standard input'));
const offer = option(
  '--offer <file>',
  'what the other side signed, where it is not among the evidence; - is standard input',
);
const percent = (meaning: string) => needed(whole('--percent <n>', meaning, 0, 100));

/** What waits for a key by terms. */
export const TURNS: readonly AgentCommand[] = [
  {
    name: 'turns',
    summary: 'legs with terms whose clock runs for you: what to do, until when, what silence costs',
    load: async () => (await import('../agent/turns.js')).turns,
  },
  {
    name: 'openings',
    summary: 'vacant legs of packages under way; bid for one with bid --leg',
    load: async () => (await import('../agent/market.js')).openings,
  },
];

/** The moves of legs with terms. */
export const MOVE: readonly AgentCommand[] = [
  move('accept', 'post the stake of a leg that you were given', []),
  {
    ...move('take', 'sign that you have the parcel; where the shipper signs too, both run this', [offer]),
    load: async () => (await import('../agent/together.js')).take,
  },
  move('vacate', 'leave a leg in time, which costs nothing', []),
  move('claim', 'claim that the parcel is at its place', [text]),
  {
    ...move('confirm', 'sign that you received the parcel, or took it over', [
      option('--code <file>', 'the code that the consignee shows, with which it signs; - is standard input'),
    ]),
    load: async () => (await import('../agent/moves.js')).confirm,
  },
  move('dispute', 'contradict a claim, with a stake of your own', [text]),
  {
    ...move('agree', 'end a leg as shipper and courier agree; both run this', [
      percent('what the courier gets of its payment; 0 opens the leg again'),
      offer,
    ]),
    load: async () => (await import('../agent/together.js')).agree,
  },
  move('crank', 'carry out what silence has decided', []),
];

/** What an arbiter does. */
export const ARBITER: readonly AgentCommand[] = [
  {
    name: 'list',
    summary: 'disputes that wait for you, and your record',
    load: async () => (await import('../agent/arbiter.js')).list,
  },
  {
    name: 'show',
    summary: 'a dispute with its evidence, as far as the ledger names it',
    arguments: [leg],
    options: [parcel],
    load: async () => (await import('../agent/arbiter.js')).show,
  },
  {
    name: 'rule',
    summary: 'rule a dispute',
    arguments: [leg],
    options: [percent('what the courier gets of its payment; 0 opens the leg again'), parcel],
    load: async () => (await import('../agent/arbiter.js')).rule,
  },
];

function move(action: MoveAction, summary: string, options: NonNullable<AgentCommand['options']>): AgentCommand {
  const load = async () => (await import('../agent/moves.js')).moving(action);
  return { name: action, summary, arguments: [leg], options: [...options, parcel], load };
}
