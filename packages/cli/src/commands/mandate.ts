import { parseAddress, parseCap } from '../optionValues.js';
import { type AgentCommand, amount, needed, option, whole } from './agentCommand.js';

const asset = option('--asset <name>', 'what it pays in: sol, usdc or another asset of the service (default: sol)');
const to = needed(option('--to <address>', 'the key that may list').argParser(parseAddress));

/** `legwork mandate …`: money of one key that another one lists with. */
export const MANDATE: readonly AgentCommand[] = [
  {
    name: 'give',
    example: 'mandate give --to 4Efk4WxZ4Nv8TBVEfRwao3ZV7Cx1dTDHWkWZEmCR4jnT --asset usdc --cap 5 --put 20',
    summary:
      'let another key list with your money, up to a cap for each period; again: with these bounds in place of all former ones',
    options: [
      to,
      asset,
      needed(
        option(
          '--cap <amount>',
          'the most of each period, in SOL or --asset; of SOL rents count, too; 0: nothing more',
        ).argParser(parseCap),
      ),
      whole('--every <hours>', 'length of a period', 1, 24 * 365).default(24),
      whole('--days <n>', 'days until nothing can be listed any more', 1, 3650).default(30),
      whole('--ahead <hours>', 'hours to the latest deadline', 1, 24 * 180).default(24 * 7),
      option('--for <kind>', 'what it may list (default: both)').choices(['packages', 'tasks']),
      option('--with-terms', 'require terms on every listing'),
      option('--arbiter <address>', 'the only arbiter allowed (default: anyone but you)').argParser(parseAddress),
      amount('--put <amount>', 'what goes from your wallet into it; what it has stays'),
      amount(
        '--rents <sol>',
        'SOL that goes into one in a token, for rents of listings, which come back to it; 0.02 into a new one if left out',
      ),
    ],
    load: async () => (await import('../agent/mandate.js')).give,
  },
  {
    name: 'show',
    example: 'mandate show --to 4Efk4WxZ4Nv8TBVEfRwao3ZV7Cx1dTDHWkWZEmCR4jnT --asset usdc',
    summary:
      'what a mandate allows now, what lies in it, and what was listed with it and can be cancelled, with the command',
    options: [to, asset, option('--owner <address>', 'who gave it (default: your key)').argParser(parseAddress)],
    load: async () => (await import('../agent/mandate.js')).show,
  },
  {
    name: 'end',
    example: 'mandate end --to 4Efk4WxZ4Nv8TBVEfRwao3ZV7Cx1dTDHWkWZEmCR4jnT --asset usdc',
    summary: 'end a mandate and get its balance back',
    options: [to, asset],
    load: async () => (await import('../agent/mandate.js')).end,
  },
];
