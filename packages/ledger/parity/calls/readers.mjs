// Accounts and the state of the bank.
import { PROGRAMS } from '../scene/instructions.mjs';
import { calls } from './list.mjs';

const confirmed = { commitment: 'confirmed' };
const ENCODINGS = ['base58', 'base64', 'base64+zstd', 'jsonParsed'];
const SYSVARS = [
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarRent111111111111111111111111111111111',
  'SysvarEpochSchedu1e111111111111111111111111',
  'SysvarRecentB1ockHashes11111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'SysvarS1otHistory11111111111111111111111111',
  'SysvarStakeHistory1111111111111111111111111',
  'SysvarRewards111111111111111111111111111111',
  'SysvarLastRestartS1ot1111111111111111111111',
  'SysvarEpochRewards1111111111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
];

export function readerCalls({ addresses }) {
  const { payer, bob, mint, stranger } = addresses;
  const thisMany = (count) => Array.from({ length: count }, () => payer);
  return [
    ...calls('getBalance', {
      'of a wallet': [payer],
      'of a wallet, confirmed': [payer, confirmed],
      'of nobody': [stranger],
      'null options': [payer, null],
      'too short an address': ['abc'],
      'not base58': ['0OIl'],
    }),
    ...accountInfoCalls(addresses),
    ...calls('getMultipleAccounts', {
      three: [[payer, stranger, mint], { encoding: 'base64' }],
      none: [[]],
      'a hundred': [thisMany(100), { encoding: 'base64', dataSlice: { offset: 0, length: 0 } }],
      'too many': [thisMany(101)],
      'one of them wrong': [[payer, 'x']],
      parsed: [[mint, bob], { encoding: 'jsonParsed' }],
    }),
    ...programCalls(addresses),
    ...calls('getMinimumBalanceForRentExemption', {
      'of nothing': [0],
      'of a token account': [165],
      'of ten mebibytes': [10_485_760],
      'of more': [10_485_761],
      'of text': ['165'],
      'of a fraction': [1.5],
      'below zero': [-1],
    }),
    ...['getSlot', 'getBlockHeight', 'getTransactionCount', 'getLatestBlockhash', 'getEpochInfo'].flatMap((method) =>
      calls(method, {
        'no options': [],
        processed: [{ commitment: 'processed' }],
        confirmed: [confirmed],
        finalized: [{ commitment: 'finalized' }],
        max: [{ commitment: 'max' }],
        single: [{ commitment: 'singleGossip' }],
      }),
    ),
    ...calls('isBlockhashValid', {
      unknown: [payer],
      'too short': ['abc'],
      confirmed: [payer, confirmed],
    }),
  ];
}

function accountInfoCalls({ payer, mint, payerTokens, mint22, payerTokens22, nonce, table, stake, seeded, stranger }) {
  const withData = {
    payer,
    mint,
    'token account': payerTokens,
    'mint with extensions': mint22,
    'token account with extensions': payerTokens22,
    'account with seed': seeded,
  };
  const volatile = { nonce, 'lookup table': table };
  const programs = {
    'token program': PROGRAMS.token,
    'system program': PROGRAMS.system,
    'native mint': PROGRAMS.nativeMint,
    'stake program': PROGRAMS.stake,
    loader: PROGRAMS.loader,
    'vote program': PROGRAMS.vote,
    'config program': PROGRAMS.config,
  };
  const parsed = {
    ...withData,
    ...volatile,
    stake,
    stranger,
    ...programs,
    ...Object.fromEntries(SYSVARS.map((sysvar) => [sysvar, sysvar])),
  };
  return [
    ...calls('getAccountInfo', { 'of a wallet': [payer] }),
    ...Object.entries(withData).flatMap(([name, address]) =>
      calls(
        'getAccountInfo',
        Object.fromEntries(ENCODINGS.slice(0, 3).map((encoding) => [`${name}, ${encoding}`, [address, { encoding }]])),
      ),
    ),
    ...calls(
      'getAccountInfo',
      Object.fromEntries(
        Object.entries(parsed).map(([name, address]) => [
          `${name}, parsed`,
          [address, { encoding: 'jsonParsed', dataSlice: name in programs ? { offset: 0, length: 0 } : null }],
        ]),
      ),
    ),
    ...calls('getAccountInfo', {
      slice: [mint, { encoding: 'base64', dataSlice: { offset: 4, length: 8 } }],
      'slice behind the end': [mint, { encoding: 'base64', dataSlice: { offset: 400, length: 8 } }],
      'half a slice': [mint, { encoding: 'base64', dataSlice: { offset: 4 } }],
      'unknown encoding': [mint, { encoding: 'hex' }],
      'encoding binary': [mint, { encoding: 'binary' }],
      'too short an address': ['abc'],
      'not base58': ['0OIl'],
      'address of 33 bytes': ['1'.repeat(33)],
      'very long address': ['1'.repeat(200)],
      'number as slot': [mint, { minContextSlot: 'x' }],
    }),
  ];
}

function programCalls({ payer, keeper, mint, nonce, payerTokens }) {
  const ofMint = { memcmp: { offset: 0, bytes: mint } };
  return calls('getProgramAccounts', {
    'token accounts of a mint': [PROGRAMS.token, { encoding: 'base64', filters: [{ dataSize: 165 }, ofMint] }],
    'with context': [PROGRAMS.token, { encoding: 'base64', withContext: true, filters: [{ dataSize: 165 }, ofMint] }],
    parsed: [PROGRAMS.token, { encoding: 'jsonParsed', filters: [{ dataSize: 165 }, ofMint] }],
    'no options, base58 too long': [PROGRAMS.token],
    slice: [PROGRAMS.token, { encoding: 'base64', dataSlice: { offset: 64, length: 8 }, filters: [ofMint] }],
    'of nobody': [payer],
    'base64 filter': [
      PROGRAMS.token,
      {
        encoding: 'base64',
        filters: [
          { memcmp: { offset: 0, bytes: 'AQ==', encoding: 'base64' } },
          { dataSize: 82 },
          { memcmp: { offset: 4, bytes: payer } },
        ],
      },
    ],
    'token account state': [PROGRAMS.token, { encoding: 'base64', filters: [{ tokenAccountState: true }, ofMint] }],
    sorted: [PROGRAMS.token, { encoding: 'base64', sortResults: true, filters: [ofMint] }],
    'five filters': [PROGRAMS.token, { filters: [1, 2, 3, 4, 5].map((dataSize) => ({ dataSize })) }],
    'empty filter': [PROGRAMS.token, { filters: [{}] }],
    'filter of 129 bytes': [PROGRAMS.token, { filters: [{ memcmp: { offset: 0, bytes: '1'.repeat(129) } }] }],
    'filter not base58': [PROGRAMS.token, { filters: [{ memcmp: { offset: 0, bytes: '0' } }] }],
    'filters are an object': [PROGRAMS.token, { filters: {} }],
    'changed only since': [
      PROGRAMS.system,
      {
        encoding: 'base64',
        filters: [{ dataSize: 80 }, { memcmp: { offset: 8, bytes: keeper } }],
        dataSlice: { offset: 0, length: 40 },
        changedSinceSlot: 0,
      },
    ],
    'wrong program': ['nope'],
    'of a token account': [payerTokens, { encoding: 'base64' }],
    'of a nonce': [nonce, { encoding: 'base64' }],
  });
}
