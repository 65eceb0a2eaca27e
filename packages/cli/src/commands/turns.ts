import type { MoveAction } from '@legwork/sdk';
import { Argument } from 'commander';
import { parseId, parseUrl } from '../optionValues.js';
import { type AgentCommand, amount, evenBeforePickup, id, needed, option, place, whole } from './agentCommand.js';

const leg = id('leg', 'id of the leg');
/** The listing of the leg, where "legwork turns" does not list it. */
const listing = [
  option('--package <id>', 'id of its package, where "legwork turns" does not list the leg').argParser(parseId),
  option('--task <id>', 'id of its digital task, where "legwork turns" does not list the leg')
    .conflicts('package')
    .argParser(parseId),
];
const text = needed(option('--file <file>', 'your evidence, text of at most 256 KiB; - reads standard input'));
const offer = option(
  '--offer <file>',
  'what the other side signed, where it is not among the evidence; - is standard input',
);
const percent = (meaning: string) => needed(whole('--percent <n>', meaning, 0, 100));

/** The example value of each option. */
const GIVEN: Readonly<Record<string, string>> = { '--file': 'evidence.txt', '--percent': '50' };

/** The commands about turns, which wait for a key by terms. */
export const TURNS: readonly AgentCommand[] = [
  {
    name: 'turns',
    example: 'turns',
    summary: "list legs with terms where your clock is running: what to do, by when, and what happens if you don't",
    load: async () => (await import('../agent/due.js')).turns,
  },
  {
    name: 'openings',
    example: 'openings',
    summary: 'list vacant legs of packages in transit; bid with bid --leg',
    load: async () => (await import('../agent/market.js')).openings,
  },
];

const code = new Argument('<code>', 'the code, a file that holds it, or - for standard input');

/** Handoffs that are signed as texts. */
export const HANDOFF: readonly AgentCommand[] = [
  {
    name: 'sign',
    example: 'handoff sign LEG',
    summary:
      'sign that you take over, receive, accept a result or hand a parcel to its first courier; it counts once it is sent',
    arguments: [new Argument('[id]', 'of the leg or package; left out, the one that waits for you').argParser(parseId)],
    options: [
      option(
        '--noted <what>',
        'what is wrong with the parcel: a file, or words. It pays in full all the same: to contest, do not sign, ' +
          'wait for the claim, and use "legwork move dispute"',
      ),
      option('--share', 'also add it to the evidence of the leg, where the other side can read it'),
      evenBeforePickup,
    ],
    load: async () => (await import('../agent/handoffs.js')).sign,
  },
  {
    name: 'show',
    example: 'handoff show code.txt',
    summary: 'show what a code says, who signed it, and what the ledger would do with it now; needs no key',
    arguments: [code],
    load: async () => (await import('../agent/handoffs.js')).show,
  },
  {
    name: 'send',
    example: 'handoff send code.txt',
    summary: 'send a transaction that somebody signed, and pay its fee',
    arguments: [code],
    load: async () => (await import('../agent/handoffs.js')).send,
  },
];

/** The command that judges results for a key. */
export const VERIFY: AgentCommand = {
  name: 'verify',
  example: 'verify --command ./check.sh',
  summary: 'confirm or dispute the results of tasks that you posted or receive, until Ctrl-C',
  options: [
    option(
      '--command <command>',
      'judge: reads the result from standard input; exit code 0 confirms, 1 disputes with its output as the reason',
    ),
    option('--http <address>', 'judge: receives the claim by POST as JSON and answers {"confirm": …, "reason": …}')
      .conflicts('command')
      .argParser(parseUrl),
    option('--model <address>', 'judge: a language model at an OpenAI-compatible address')
      .conflicts(['command', 'http'])
      .argParser(parseUrl),
    option('--model-name <name>', 'which model'),
    option('--model-key-env <name>', 'the environment variable with its key'),
    option('--rubric <file>', 'the criteria for the model; - reads standard input'),
    whole('--timeout <seconds>', 'how long a verdict may take', 1, 3_600).default(60),
    amount('--stakes <amount>', 'the most that may lie in your disputes at a time, SOL or --asset').default(0.1),
    option('--asset <name>', 'the asset: sol, usdc or another of the service (default: sol)'),
    option('--for <address...>', 'only tasks from these posters, and your own'),
  ],
  load: async () => (await import('../agent/verify.js')).verifyResults,
};

/** The moves of legs with terms. */
export const MOVE: readonly AgentCommand[] = [
  move('accept', 'post the stake of a leg that you were given', []),
  {
    ...move(
      'take',
      'sign that you have the parcel; where the shipper signs too, both run this, and it goes once the leg is carried',
      [
        option(
          '--offer <file>',
          'the code that the shipper shows, where it is not among the evidence; - is standard input',
        ),
      ],
    ),
    load: async () => (await import('../agent/together.js')).take,
  },
  move('vacate', 'leave a leg in time, which costs nothing', []),
  move('claim', 'claim that the parcel is at its place; of a task, that the text is its result', [text]),
  {
    ...move('confirm', 'sign that you received the parcel, or took it over; of a task, that the result is right', [
      option('--code <file>', 'the code that the receiver signs with; - reads standard input'),
      evenBeforePickup,
    ]),
    load: async () => (await import('../agent/moves.js')).confirm,
  },
  move('dispute', 'dispute a claim, with a stake of your own', [text]),
  {
    ...move('agree', 'end a leg as both sides agree; both run this', [
      percent("the worker's share of the payment; 0 opens the leg again"),
      offer,
    ]),
    load: async () => (await import('../agent/together.js')).agree,
  },
  move('crank', 'carry out what silence has decided', []),
  {
    name: 'pickup',
    example: 'move pickup LEG --at 52.51,13.34',
    summary:
      'say where the parcel of a vacant leg is: its next courier fetches it there, and bids for the old place end',
    arguments: [leg],
    options: [needed(place('--at <lat,lng>', 'where it is'))],
    load: async () => (await import('../agent/market.js')).movePickup,
  },
];

/** The commands of an arbiter. */
export const ARBITER: readonly AgentCommand[] = [
  {
    name: 'list',
    example: 'arbiter list',
    summary: 'list the disputes waiting for your ruling, and your record',
    load: async () => (await import('../agent/arbiter.js')).list,
  },
  {
    name: 'show',
    example: 'arbiter show LEG',
    summary: 'show a dispute with its evidence, checked against the ledger',
    arguments: [leg],
    options: listing,
    load: async () => (await import('../agent/arbiter.js')).show,
  },
  {
    name: 'rule',
    example: 'arbiter rule LEG --percent 50',
    summary: 'rule a dispute',
    arguments: [leg],
    options: [
      percent("the worker's share of the payment; 0 opens the leg again"),
      option(
        '--reason <file>',
        'why, text of at most 256 KiB, which everybody can read once you have ruled; - is standard input',
      ),
      ...listing,
    ],
    load: async () => (await import('../agent/arbiter.js')).rule,
  },
];

function move(action: MoveAction, summary: string, options: NonNullable<AgentCommand['options']>): AgentCommand {
  const load = async () => (await import('../agent/moves.js')).moving(action);
  const given = options.flatMap((one) => (one.mandatory ? [`${one.long} ${GIVEN[one.long ?? ''] ?? ''}`] : []));
  const example = ['move', action, 'LEG', ...given].join(' ');
  return { name: action, example, summary, arguments: [leg], options: [...options, ...listing], load };
}
