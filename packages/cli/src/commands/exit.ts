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
    'get your money out without any service: shows what the ledger has of your key and what you can do about it now and later, and does it',
  arguments: [
    new Argument('[move]', 'what to do; left out, shows everything').choices([...OF_LEGS, ...OF_ALL]),
    new Argument('[of]', 'address of the package, task or mandate; of collect the mint'),
  ],
  options: [
    option('--rpc <address>', 'an RPC of the ledger; the one of the settings if left out').argParser(parseUrl),
    option('--program <address>', 'the program; the one that your key worked with if left out').argParser(parseAddress),
    option('--listing <address...>', 'only these packages and tasks; for nodes that do not search'),
    option('--all', 'do all that only gains you something, and by which nobody pays, loses or gives up anything'),
    option('--yes', 'sign and send; left out, the command only says what it would do'),
    whole('--leg <n>', 'which leg, from 1', 1, 7),
    option(
      '--file <file>',
      'claim, dispute: the text that shows it; confirm of a task: the result that you have read; - is standard input',
    ),
    whole('--percent <n>', 'rule: what who worked gets of the payment', 0, 100),
    option('--payer <file>', 'another key, which pays fees and rents'),
    evenBeforePickup,
  ],
  load: async () => (await import('../agent/out.js')).out,
};
