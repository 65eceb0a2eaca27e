import { Argument } from 'commander';
import { type AgentCommand, id, option } from './agentCommand.js';

/** `legwork papers …`: what listings say, kept for a service that may lose it. Of listings in which a key has a part that happens by itself. */
export const PAPERS: readonly AgentCommand[] = [
  {
    name: 'keep',
    example: 'papers keep ID --to papers',
    summary: 'keep what a listing says, in case the service loses it: the ledger has only its hash',
    arguments: [id('id', 'of the package or task')],
    options: [
      option('--to <folder>', 'where to keep it; left out, beside your key, where it is dropped when it is over'),
    ],
    load: async () => (await import('../agent/papers.js')).keep,
  },
  {
    name: 'give',
    example: 'papers give',
    summary: 'give a service back what it lost of listings',
    arguments: [new Argument('[folder]', 'where papers are kept; left out, those that are beside your key')],
    load: async () => (await import('../agent/papers.js')).give,
  },
];
