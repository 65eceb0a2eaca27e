import { Argument } from 'commander';
import { type AgentCommand, id, needed, option } from './agentCommand.js';

/** `legwork papers …`: what listings say, kept for a service that may lose it. */
export const PAPERS: readonly AgentCommand[] = [
  {
    name: 'keep',
    example: 'papers keep ID --to papers',
    summary: 'keep what a listing says, in case the service loses it: the ledger has only its hash',
    arguments: [id('id', 'of the package or task')],
    options: [needed(option('--to <folder>', 'where to keep it'))],
    load: async () => (await import('../agent/papers.js')).keep,
  },
  {
    name: 'give',
    example: 'papers give papers',
    summary: 'give a service back what it lost of listings',
    arguments: [new Argument('<folder>', 'where papers are kept')],
    load: async () => (await import('../agent/papers.js')).give,
  },
];
