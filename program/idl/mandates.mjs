// Mandates: money that an owner lets a delegate list with, within limits.
import { account, arg, bytes, event, field, i64, instruction, key, pda, slot, systemProgram, u32, u64, u8 } from './nodes.mjs';

/** What an owner sets, the same in the account, the argument and the event. */
const LIMITS = [
  ['asset', u8, 'What it is for: 0 is SOL, else the number of an asset.'],
  ['permits', u8, 'Bits: 1 packages, 2 tasks, 4 nothing without terms.'],
  ['cap', u64, 'Of each period; in SOL with the rents of what is listed.'],
  ['period', u32, 'Seconds, above 0. It begins with the first listing after the one before is over.'],
  ['expiresAt', i64, 'Unix seconds from which nothing can be listed; 0: never.'],
  ['maxAhead', u32, 'The longest time to a deadline, in seconds.'],
  ['arbiter', key, 'The one arbiter of all terms, which a listing then must have; all zero: any.'],
];
const limits = (node) => LIMITS.map((limit) => node(...limit));
const PARTIES = [field('owner', key), field('delegate', key)];

export const mandates = {
  accounts: [
    account(
      'mandate',
      9,
      160,
      'mandate',
      'Money that a delegate may list with, and that returns here: lamports above its rent, or tokens of accounts that its address owns.',
      [
        ...limits(field),
        field('owner', key, 'Changes and ends it, and may end what it funded.'),
        field('delegate', key, 'Lists with it, and can do nothing else with it.'),
        field('periodStart', i64, 'Unix seconds.'),
        field('spent', u64, 'Since then. What comes back is not counted back.'),
        field('reserved', bytes(19), 'All zero.'),
      ],
    ),
  ],
  definedTypes: [
    event('mandateSetEvent', 31, 'A delegate may list with the money of an owner, or within other limits.', [
      field('mandate', key),
      ...PARTIES,
      ...limits(field),
    ]),
    event('mandateClosedEvent', 32, 'A mandate is over, and its money is with its owner.', [
      field('mandate', key),
      ...PARTIES,
      field('lamports', u64, 'Its own; tokens are not counted here.'),
    ]),
  ],
  pdas: [pda('mandate', 'mandate', { owner: key, delegate: key, asset: u8 })],
  instructions: [
    instruction(
      'setMandate',
      31,
      [
        'Lets a delegate list with the money that lies at the address of the mandate, or bounds it anew. Signed by the owner.',
        'What is spent within the period stays spent.',
      ],
      [
        slot('owner', 'sw', 'Owner of the mandate; pays the rent of a new one.'),
        slot('delegate', '', 'Who may list with it.'),
        slot('mandate', 'w', 'The mandate; created when missing.'),
        systemProgram,
      ],
      limits(arg),
    ),
    instruction(
      'closeMandate',
      32,
      [
        'Gives everything of a mandate to its owner, who signs, and ends it.',
        'Behind come, for tokens, the Token program, and of each token account of the mandate the account and one that receives its tokens.',
      ],
      [
        slot('owner', 'sw', 'Owner of the mandate; receives what it holds and its rent.'),
        slot('mandate', 'w', 'The mandate.'),
      ],
      [],
    ),
  ],
};
