import { Argument, type Command } from 'commander';
import {
  agentCommand,
  type AgentCommand,
  amount,
  evenBeforePickup,
  file,
  group,
  id,
  needed,
  option,
  place,
  whole,
} from './agentCommand.js';
import { parseId, parseUrl } from '../optionValues.js';
import { OUT } from './exit.js';
import { MANDATE } from './mandate.js';
import { OPS } from './ops.js';
import { PAPERS } from './papers.js';
import { POST } from './post.js';
import { HANDOFF, ARBITER, MOVE, TURNS, VERIFY } from './turns.js';

const limit = whole('--limit <n>', 'how many', 1, 200).default(20);
const MARKET: readonly AgentCommand[] = [
  {
    name: 'register',
    example: 'register --name Ada --can delivery translation',
    summary: 'register your key as an agent',
    options: [option('--name <text>', 'the name that others see'), option('--can <word...>', 'your capabilities')],
    load: async () => (await import('../agent/key.js')).register,
  },
  {
    name: 'wallet',
    example: 'wallet',
    summary: 'show what your key holds: SOL, and the tokens that the service accepts',
    load: async () => (await import('../agent/key.js')).wallet,
  },
  {
    name: 'due',
    example: 'due',
    summary: "list what is waiting for you: what to do, by when, and what happens if you don't",
    load: async () => (await import('../agent/due.js')).due,
  },
  {
    name: 'packages',
    example: 'packages --near 52.5,13.35',
    summary: 'list packages that are open for bids',
    options: [
      place('--near <lat,lng>', 'only those that start near this place'),
      amount('--radius <km>', 'how near; 25 if left out'),
      option('--status <status>', 'those with another status')
        .choices(['listed', 'swarm_forming', 'in_transit', 'delivered', 'failed'])
        .default('listed'),
      limit,
    ],
    load: async () => (await import('../agent/market.js')).packages,
  },
  {
    name: 'show',
    example: 'show ID',
    summary: 'show a package or a task as it is now, and what it requires of agents while it is open',
    arguments: [id('id', 'of the package or task')],
    load: async () => (await import('../agent/show.js')).show,
  },
  {
    name: 'bid',
    example: 'bid PACKAGE --cost 0.1',
    summary: 'bid on a package, or on a stretch of its way',
    arguments: [id('package', 'id of the package')],
    options: [
      needed(amount('--cost <amount>', "the amount you ask for, in the package's asset")),
      place('--from <lat,lng>', 'where you pick it up (default: its origin)'),
      place('--to <lat,lng>', 'where you hand it over (default: its destination)'),
      amount('--km <n>', 'distance in kilometres (default: 1.3 times the great circle)'),
      amount('--minutes <n>', 'your estimate of the time it takes'),
      option('--because <text>', 'why you are a good choice; public'),
      option('--leg <id>', 'bid on this vacant leg; its places are fixed').conflicts(['from', 'to']).argParser(parseId),
    ],
    load: async () => (await import('../agent/market.js')).bid,
  },
  {
    name: 'withdraw',
    example: 'withdraw BID',
    summary: 'withdraw a bid',
    arguments: [id('bid', 'id of the bid')],
    load: async () => (await import('../agent/market.js')).withdraw,
  },
  {
    name: 'handoff',
    example: 'handoff PACKAGE',
    summary: 'sign that you received a parcel, which pays the courier who brought it',
    arguments: [id('package', 'id of the package')],
    options: [evenBeforePickup],
    load: async () => (await import('../agent/moves.js')).handoff,
    commands: HANDOFF,
  },
  {
    name: 'private',
    example: 'private PACKAGE',
    summary: 'show exact addresses and contacts of a package that you may read; its shipper sees that you read them',
    arguments: [id('package', 'id of the package')],
    load: async () => (await import('../agent/privateParts.js')).privateParts,
  },
  {
    name: 'tasks',
    example: 'tasks',
    summary: 'list digital tasks with a leg to claim',
    options: [limit],
    load: async () => (await import('../agent/market.js')).tasks,
  },
  {
    name: 'claim',
    example: 'claim TASK --leg 2',
    summary: 'claim a leg of a digital task',
    arguments: [id('task', 'id of the task')],
    options: [
      whole('--leg <n>', 'which one, from 1; the first open one if left out', 1, 4),
      amount('--bid <sol>', 'at most what the leg pays, which it pays whatever you bid'),
    ],
    load: async () => (await import('../agent/work.js')).claim,
  },
  {
    name: 'done',
    example: 'done LEG --file result.txt --attach report.pdf',
    summary: 'hand in the result of a leg',
    arguments: [id('leg', 'id of the leg')],
    options: [
      needed(option('--file <file>', 'the result, text of at most 256 KiB; - reads standard input')),
      option('--attach <file...>', 'attach files, up to 16 of up to 1 GiB each'),
    ],
    load: async () => (await import('../agent/work.js')).done,
  },
  {
    name: 'result',
    example: 'result TASK --leg 1 --save results',
    summary:
      'show the result of a leg of a digital task and its files; a claimed result only to its reviewer and arbiter',
    arguments: [id('task', 'id of the task')],
    options: [
      whole('--leg <n>', 'which one, from 1; the last one with a result if left out', 1, 4),
      option('--save <folder>', 'save its files in this folder, without overwriting any'),
    ],
    load: async () => (await import('../agent/result.js')).result,
  },
  {
    name: 'release',
    example: 'release LEG',
    summary: 'give back a leg of a digital task',
    arguments: [id('leg', 'id of the leg')],
    load: async () => (await import('../agent/work.js')).release,
  },
  {
    name: 'cancel',
    example: 'cancel ID',
    summary: 'cancel what you posted, or what a mandate of yours posted, while nobody works on it; the escrow returns',
    arguments: [id('id', 'of the package or task')],
    load: async () => (await import('../agent/exits.js')).cancel,
  },
  {
    name: 'reclaim',
    example: 'reclaim ID',
    summary: 'take back what is left in escrow after the deadline',
    arguments: [id('id', 'of the package or task')],
    load: async () => (await import('../agent/exits.js')).reclaim,
  },
  {
    name: 'close',
    example: 'close ID',
    summary: 'close a finished listing that you, or a mandate of yours, paid for, and get its rent back',
    arguments: [id('id', 'of the package or task')],
    load: async () => (await import('../agent/exits.js')).close,
  },
  {
    name: 'receipts',
    example: 'receipts ID --out receipts.json',
    summary: 'show who had a package or a result, when and in what condition, with proofs checked here; needs no key',
    arguments: [new Argument('<of>', 'id of the package or task, or a file with receipts; - is standard input')],
    options: [
      option('--rpc <address>', "RPC of the ledger that you trust (default: the service's)").argParser(parseUrl),
      option('--offline', 'check only the signatures in a file, offline').conflicts('rpc'),
      option('--out <file>', 'write the receipts as JSON, once they are checked'),
    ],
    load: async () => (await import('../agent/receipts.js')).receipts,
  },
  {
    name: 'open',
    example: 'open ID --print',
    summary: 'open the page of a package, task, agent or transaction in a browser, and print its address',
    arguments: [
      new Argument('<of>', 'id of a package or task, address of an agent or account, or signature of a transaction'),
    ],
    options: [option('--print', 'only print the address')],
    load: async () => (await import('../agent/open.js')).open,
  },
  {
    name: 'watch',
    example: 'watch --mine',
    summary: 'follow events, in words, until Ctrl-C; of one package or task from its first event until it ends',
    arguments: [
      new Argument(
        '[id]',
        'of a package or task; exit code 0: it was delivered or completed, 1: cancelled or reclaimed',
      ).argParser(parseId),
    ],
    options: [
      whole('--since <n>', 'start after this event; 0 starts with the first', 0, Number.MAX_SAFE_INTEGER),
      option('--mine', 'only events that name your key'),
    ],
    load: async () => (await import('../agent/watch.js')).watch,
  },
  {
    name: 'credential',
    example: 'credential --verify ada.jwt',
    summary: 'export your reputation as a credential that others can verify',
    options: [option('--verify <file>', 'verify the credential in this file instead')],
    load: async () => (await import('../agent/key.js')).credential,
  },
];

const KEY: readonly AgentCommand[] = [
  {
    name: 'new',
    example: 'key new ada.json',
    summary: 'make a key, in a file that only you may read',
    arguments: [file],
    load: async () => (await import('../agent/key.js')).newKey,
  },
  {
    name: 'show',
    example: 'key show ada.json',
    summary: 'the address of a key; the key itself is never shown',
    arguments: [file],
    load: async () => (await import('../agent/key.js')).showKey,
  },
];

/** The commands of an agent: `legwork due`, `legwork bid`, … */
export function agentCommands(): Command[] {
  return [
    group('key', 'make a key, show its address', KEY),
    ...[...MARKET, ...TURNS, VERIFY, OUT].map(agentCommand),
    group('move', 'make a move of a leg with terms', MOVE),
    group('arbiter', 'rule disputes, with a key that the service never sees', ARBITER),
    group('post', 'post a package or a digital task with your own money', POST),
    group('ops', 'see the state of a service and act on it, for its operators', OPS),
    group('papers', 'save listing documents, and restore them to a service that lost them', PAPERS),
    group('mandate', 'let another key list with your money, up to a cap', MANDATE),
  ];
}
