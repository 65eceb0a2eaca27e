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
    'out with your money without any service: all that a ledger has of your key, what you can do about it now and later, and the doing',
  arguments: [
    new Argument('[move]', 'what to do; left out, everything is shown').choices([...OF_LEGS, ...OF_ALL]),
    new Argument('[of]', 'address of the package, task or mandate; of collect the mint'),
  ],
  options: [
    option('--rpc <address>', 'an RPC of the ledger; the one of the settings if left out').argParser(parseUrl),
    option('--program <address>', 'the program; the one that your key worked with if left out').argParser(parseAddress),
    option('--listing <address...>', 'only these packages and tasks; for nodes that do not search'),
    option('--all', 'do what only gains: nobody pays, loses or gives anything up by it'),
    option('--yes', 'do it; left out, it is said what would be done'),
    whole('--leg <n>', 'which leg, from 1', 1, 7),
    option(
      '--file <file>',
      'claim, dispute: the text that shows it; confirm: the result that you have read; - is standard input',
    ),
    whole('--percent <n>', 'rule: what who worked gets of the payment', 0, 100),
    option('--payer <file>', 'another key, which pays fees and rents'),
    evenBeforePickup,
  ],
  load: async () => (await import('../agent/out.js')).out,
};
