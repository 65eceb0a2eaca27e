import { Argument } from 'commander';
import { parseAddress, parseUrl } from '../optionValues.js';
import { type AgentCommand, evenBeforePickup, option, whole } from './agentCommand.js';

const OF_LEGS = ['accept', 'take', 'vacate', 'claim', 'confirm', 'dispute', 'rule', 'crank'];
const OF_ALL = ['cancel', 'reclaim', 'settle', 'close', 'collect', 'end'];

/** `legwork exit`: out without any service. */
export const OUT: AgentCommand = {
  name: 'exit',
  example: 'exit --rpc http://127.0.0.1:8899',
  summary:
    'get your money out without any service: shows what your key has on the ledger and what you can do now and later, and does it',
  arguments: [
    new Argument('[move]', 'what to do; left out, shows everything').choices([...OF_LEGS, ...OF_ALL]),
    new Argument('[of]', 'address of the package, task or mandate; of collect the mint'),
  ],
  options: [
    option('--rpc <address>', 'RPC of the ledger (default: the one in your settings)').argParser(parseUrl),
    option('--program <address>', 'the program (default: the one that your key worked with)').argParser(parseAddress),
    option('--listing <address...>', 'only these packages and tasks, for nodes that cannot search accounts'),
    option('--all', 'do every step that only gains you something, and where nobody pays, loses or gives up anything'),
    option('--yes', 'sign and send; without it, the command only shows what it would do'),
    whole('--leg <n>', 'which leg, from 1', 1, 7),
    option(
      '--file <file>',
      'claim, dispute: your evidence; confirm of a task: the result that you have read; - reads standard input',
    ),
    whole('--percent <n>', "rule: the worker's share of the payment", 0, 100),
    option('--payer <file>', 'pay fees and rents with another key'),
    evenBeforePickup,
  ],
  load: async () => (await import('../agent/out.js')).out,
};
