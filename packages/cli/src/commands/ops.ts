import { Argument } from 'commander';
import { type AgentCommand, id } from './agentCommand.js';

const intent = new Argument('<intent>', 'number of the intent, as "legwork ops status" says it');

/** `legwork ops …`: for the operators of a service, with the key of one. */
export const OPS: readonly AgentCommand[] = [
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
    arguments: [id('id', 'of the package or task')],
    load: async () => (await import('../agent/ops.js')).heal,
  },
  {
    name: 'acts',
    example: 'ops acts',
    summary: 'what operators had done, and who',
    load: async () => (await import('../agent/ops.js')).acts,
  },
];
