// The methods that know SPL Token.
import { PROGRAMS } from '../scene/instructions.mjs';
import { calls } from './list.mjs';

const parsed = { encoding: 'jsonParsed' };
const base64 = { encoding: 'base64' };

export function tokenCalls({ addresses }) {
  const { payer, alice, bob, mint, mint22, payerTokens, payerTokens22, stranger } = addresses;
  return [
    ...calls('getTokenAccountBalance', {
      'of a token account': [payerTokens],
      'with extensions': [payerTokens22],
      'of a wallet': [payer],
      'of nobody': [stranger],
      'of a mint': [mint],
      wrong: ['nope'],
      confirmed: [payerTokens, { commitment: 'confirmed' }],
    }),
    ...calls('getTokenSupply', {
      'of a mint': [mint],
      'with extensions': [mint22],
      'of a token account': [payerTokens],
      'of nobody': [stranger],
      native: [PROGRAMS.nativeMint],
      wrong: ['nope'],
    }),
    ...calls('getTokenLargestAccounts', {
      'of a mint': [mint],
      'with extensions': [mint22],
      'of a token account': [payerTokens],
      'of nobody': [stranger],
      wrong: ['nope'],
    }),
    ...calls('getTokenAccountsByOwner', {
      'by mint': [payer, { mint }, base64],
      'by mint, parsed': [payer, { mint }, parsed],
      'by program': [payer, { programId: PROGRAMS.token }, base64],
      'by program, parsed': [payer, { programId: PROGRAMS.token2022 }, parsed],
      'no options': [payer, { mint }],
      'of nobody': [stranger, { mint }, base64],
      'unknown mint': [payer, { mint: stranger }, base64],
      'other program': [payer, { programId: PROGRAMS.system }, base64],
      both: [payer, { mint, programId: PROGRAMS.token }, base64],
      neither: [payer, {}, base64],
      'filter is text': [payer, mint, base64],
      'wrong mint': [payer, { mint: 'nope' }, base64],
      slice: [bob, { mint }, { encoding: 'base64', dataSlice: { offset: 0, length: 4 } }],
    }),
    ...calls('getTokenAccountsByDelegate', {
      'by mint': [alice, { mint }, base64],
      'by program, parsed': [alice, { programId: PROGRAMS.token }, parsed],
      'of nobody': [stranger, { mint }, base64],
      neither: [alice, {}, base64],
    }),
  ];
}
