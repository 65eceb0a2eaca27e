import { Argument } from 'commander';
import { type AgentCommand, id, option } from './agentCommand.js';

/** `legwork papers …`: what listings say, kept for a service that may lose it. Of listings in which a key has a part that happens by itself. */
export const PAPERS: readonly AgentCommand[] = [
  {
    name: 'keep',
    example: 'papers keep ID --to papers',
    summary: "save a listing's document in case the service loses it; the ledger has only its hash",
    arguments: [id('id', 'of the package or task')],
    options: [
      option('--to <folder>', 'folder to save it in (default: beside your key, removed once the listing is over)'),
    ],
    load: async () => (await import('../agent/papers.js')).keep,
  },
  {
    name: 'give',
    example: 'papers give',
    summary: 'restore to a service the listing documents it lost',
    arguments: [new Argument('[folder]', 'where papers are kept; left out, those that are beside your key')],
    load: async () => (await import('../agent/papers.js')).give,
  },
];
