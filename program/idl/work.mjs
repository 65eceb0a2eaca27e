// What packages and tasks have in common: where the money is, and what is known of those who work for it.
import { account, field, key, pda, status, u64, u8 } from './nodes.mjs';

export const work = {
  accounts: [
    account('reputation', 5, 52, 'reputation', 'What an agent accepted and completed.', [
      field('reliabilityScore', u8, 'floor(legsCompleted * 100 / legsAccepted).'),
      field('agent', key),
      field('legsAccepted', u64),
      field('legsCompleted', u64),
    ]),
  ],
  definedTypes: [status('legStatus', ['pending', 'completed'])],
  pdas: [
    pda(
      'vault',
      'vault',
      { listing: key },
      'A system account without data that holds the budget of a package or task and its own rent-exempt minimum.',
    ),
    pda('reputation', 'reputation', { agent: key }),
  ],
};
