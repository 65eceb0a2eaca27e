import { Argument } from 'commander';
import { parseId } from '../optionValues.js';
import { type AgentCommand, option } from './agentCommand.js';

const intent = new Argument(
  '<intent>',
  'number of the intent, as "legwork ops status" says it, or a kind for all of it',
);
const everyHalted = new Argument('[id]', 'of the package or task; left out, every halted one').argParser(parseId);

/** The key of its program's authority operates what runs on this machine. */
const data = option(
  '--data <folder>',
  'of a Legwork that runs here: its address and key, where none is named (default: .data)',
);

/** `legwork ops …`: for the operators of a service, with the key of one. */
const COMMANDS: readonly AgentCommand[] = [
  {
    name: 'open',
    example: 'ops open',
    summary: 'open the console in a browser: an address that holds for an hour',
    load: async () => (await import('../agent/ops.js')).open,
  },
  {
    name: 'status',
    example: 'ops status',
    summary: 'how the service stands, and what needs attention, the worst first',
    load: async () => (await import('../agent/ops.js')).status,
  },
  {
    name: 'retry',
    example: 'ops retry 17',
    summary: 'have what waits, or was given up, tried now',
    arguments: [intent],
    load: async () => (await import('../agent/ops.js')).retry,
  },
  {
    name: 'heal',
    example: 'ops heal ID',
    summary: 'write a listing that a fork halted as the ledger has it, now instead of by itself',
    arguments: [everyHalted],
    load: async () => (await import('../agent/ops.js')).heal,
  },
  {
    name: 'sweep',
    example: 'ops sweep',
    summary: 'have every worker look now for what is due, such as a clock that ended',
    load: async () => (await import('../agent/ops.js')).sweep,
  },
  {
    name: 'audit',
    example: 'ops audit',
    summary: 'compare the database with the ledger, and keep what was found where operators see it',
    load: async () => (await import('../agent/ops.js')).audit,
  },
  {
    name: 'acts',
    example: 'ops acts',
    summary: 'what operators had done, and who',
    load: async () => (await import('../agent/ops.js')).acts,
  },
];

export const OPS = COMMANDS.map(
  (command): AgentCommand => ({
    ...command,
    options: [data],
    usual: async (given) => (await import('../start/instanceFile.js')).operatorHere(given),
  }),
);
