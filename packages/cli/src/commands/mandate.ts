import { parseAddress, parseCap } from '../optionValues.js';
import { type AgentCommand, amount, needed, option, whole } from './agentCommand.js';

const asset = option('--asset <name>', 'what it is in: sol, usdc or another that the service lists; SOL if left out');
const to = needed(option('--to <address>', 'whose key may list').argParser(parseAddress));

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
      option('--for <kind>', 'what may be listed; both if left out').choices(['packages', 'tasks']),
      option('--with-terms', 'nothing may be listed without terms'),
      option('--arbiter <address>', 'the only one who may rule disputes; any but you if left out').argParser(
        parseAddress,
      ),
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
    options: [to, asset, option('--owner <address>', 'who gave it; your key if left out').argParser(parseAddress)],
    load: async () => (await import('../agent/mandate.js')).show,
  },
  {
    name: 'end',
    example: 'mandate end --to 4Efk4WxZ4Nv8TBVEfRwao3ZV7Cx1dTDHWkWZEmCR4jnT --asset usdc',
    summary: 'end a mandate: what lies in it comes back to you',
    options: [to, asset],
    load: async () => (await import('../agent/mandate.js')).end,
  },
];
