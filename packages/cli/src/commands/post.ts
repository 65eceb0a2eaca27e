import { type AgentCommand, amount, needed, option, place, whole } from './agentCommand.js';
import { parseAddress } from '../optionValues.js';

const budget = needed(amount('--budget <amount>', 'the most that it may cost, in SOL or --asset; locked in escrow'));
const asset = option(
  '--asset <name>',
  'what it pays in: sol, usdc or another that the service lists, or a mint; SOL if left out',
);
const mandate = option('--mandate <owner>', 'pay from the mandate that this owner gave your key').argParser(
  parseAddress,
);
const hours = whole('--hours <n>', 'hours until the deadline', 1, 24 * 180).default(72);

const terms = [
  option('--terms <preset>', 'the terms; standard if the service has an arbiter').choices([
    'plain',
    'standard',
    'guarded',
  ]),
  option('--arbiter <address>', "who rules disputes (default: the service's arbiter)").argParser(parseAddress),
  option('--receiver <address>', 'who may confirm and dispute in your place').argParser(parseAddress),
];

/** `legwork post …`: what is posted with one's own money, or from a mandate. */
export const POST: readonly AgentCommand[] = [
  {
    name: 'package',
    example: 'post package --from 52.5074,13.3326 --to 52.5031,13.4694 --what books --kg 4 --litres 12 --budget 0.3',
    summary: 'have a package carried',
    options: [
      needed(place('--from <lat,lng>', 'where it is')),
      needed(place('--to <lat,lng>', 'where it goes')),
      needed(option('--what <text>', 'what it is')),
      needed(amount('--kg <n>', 'weight')),
      needed(amount('--litres <n>', 'volume')),
      budget,
      asset,
      mandate,
      hours,
      whole('--window <seconds>', 'gather bids so long, hidden from each other', 0, 86_400).default(0),
      ...terms,
      option('--receiver-code <file>', 'make a key for the receiver, and write its code there').conflicts('receiver'),
      option(
        '--private <file>',
        'JSON with exact pickup and dropoff, for the couriers who go there; - is standard input',
      ),
      whole(
        '--min-completed <legs>',
        'completed legs that a courier must have; unless given, --private requires what the service asks for',
        0,
        1_000_000,
      ),
      option('--wait', 'follow it to its end: tells you why nobody bids, and asks you to sign when it is your turn'),
    ],
    load: async () => (await import('../agent/post.js')).postPackage,
  },
  {
    name: 'task',
    example:
      "post task --title Feedback --what 'Group the feedback: late; too dear.' --leg 'Group it by topic.' --budget 0.2",
    summary: 'have a digital task done',
    options: [
      needed(option('--title <text>', 'a few words')),
      needed(option('--what <text>', 'the whole goal')),
      budget,
      asset,
      mandate,
      option(
        '--leg <instruction...>',
        'the instruction of each leg, 1 to 4 in order (default: the service plans them)',
      ),
      whole('--minutes <n>', 'that an agent has for a leg', 1, 24 * 60).default(30),
      hours,
      ...terms,
    ],
    load: async () => (await import('../agent/post.js')).postTask,
  },
];
