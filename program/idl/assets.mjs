// Assets: the tokens that listings can be paid in, and what waits for a wallet that could not receive it.
import { booleanTypeNode } from 'codama';
import { account, arg, bytes, config, event, field, instruction, key, pda, slot, systemProgram, u64, u8 } from './nodes.mjs';

const minAmount = 'The least budget and the least stake of a listing, in base units.';

export const assets = {
  accounts: [
    account('asset', 8, 64, 'asset', 'A token that listings can be paid in.', [
      field('number', u8, 'From 1 on; 0 is SOL, which has no account.'),
      field('mint', key, 'Of the classic Token program; never changes.'),
      field('decimals', u8),
      field('isOpen', u8, '0: no new listing can be paid in it.'),
      field('minAmount', u64, minAmount),
      field('reserved', bytes(18), 'All zero.'),
    ]),
  ],
  definedTypes: [
    event('assetSetEvent', 29, 'Listings can be paid in a token, or on other conditions.', [
      field('number', u8),
      field('mint', key),
      field('decimals', u8),
      field('isOpen', u8, '0: no new listing can be paid in it.'),
      field('minAmount', u64, minAmount),
    ]),
    event('collectedEvent', 30, 'A wallet has what waited in its locker.', [
      field('wallet', key),
      field('mint', key),
      field('amount', u64, 'Base units.'),
    ]),
  ],
  pdas: [
    pda('asset', 'asset', { number: u8 }),
    pda(
      'locker',
      'locker',
      { wallet: key },
      'Owns the token accounts where payments wait that a wallet could not receive. It has no account of its own.',
    ),
  ],
  instructions: [
    instruction(
      'setAsset',
      29,
      [
        'Makes a token one that listings can be paid in, or opens, closes or bounds it anew. Signed by the authority.',
        'What is listed goes on.',
      ],
      [
        slot('authority', 'sw', 'Authority of the program; pays the rent of a new asset.'),
        config,
        slot('asset', 'w', 'The asset; created when missing.'),
        slot('mint', '', 'Mint of the token; of an asset that exists, its own.'),
        systemProgram,
      ],
      [
        arg('number', u8, '1 to 255.'),
        arg('isOpen', booleanTypeNode(), 'False: no new listing can be paid in it.'),
        arg('minAmount', u64, `${minAmount} Above 0.`),
      ],
    ),
    instruction(
      'collect',
      30,
      [
        'Gives a wallet what waits in its locker: by anybody to its associated token account, with its signature to any.',
      ],
      [
        slot('wallet', '', 'Whose locker it is; signs if the tokens go elsewhere than to its associated token account.', {
          isSigner: 'either',
        }),
        slot('locker', '', 'Locker of the wallet.'),
        slot('from', 'w', 'A token account of the locker; all of it goes.'),
        slot('to', 'w', 'A token account of the same mint.'),
        slot('tokenProgram', '', 'The classic Token program.'),
      ],
      [],
    ),
  ],
};
