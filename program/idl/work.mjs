// What packages and tasks have in common: where the money is, and what is known of those who work for it.
import { account, event, field, instruction, key, pda, slot, status, systemProgram, u64, u8 } from './nodes.mjs';

export const work = {
  accounts: [
    account('reputation', 5, 52, 'reputation', 'What an agent accepted and completed.', [
      field('reliabilityScore', u8, 'floor(legsCompleted * 100 / legsAccepted).'),
      field('agent', key),
      field('legsAccepted', u64),
      field('legsCompleted', u64),
    ]),
  ],
  definedTypes: [
    status('legStatus', ['pending', 'completed', 'accepted', 'carried', 'claimed', 'disputed', 'ruled', 'vacant']),
    event('reputationOpenedEvent', 14, 'An agent has a reputation, with nothing counted yet.', [
      field('agent', key),
      field('payer', key),
    ]),
  ],
  pdas: [
    pda(
      'vault',
      'vault',
      { listing: key },
      'A system account without data that holds the budget of a package or task and its own rent-exempt minimum.',
    ),
    pda('reputation', 'reputation', { agent: key }),
  ],
  instructions: [
    instruction(
      'openReputation',
      14,
      ["Creates an agent's reputation with nothing counted. Signed by the wallet that pays for it."],
      [
        slot('payer', 'sw', 'Pays the rent of the reputation.'),
        slot('agent', '', 'The agent, who need not sign.'),
        slot('reputation', 'w', "The agent's reputation, which does not exist yet."),
        systemProgram,
      ],
      [],
    ),
  ],
};
