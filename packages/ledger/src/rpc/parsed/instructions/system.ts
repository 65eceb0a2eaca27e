import type { Parsed } from '../accounts/dataReader.js';
import { named, parseByTable, type InstructionTable, InstructionReader } from './instruction.js';

const INSTRUCTIONS: InstructionTable = [
  [
    'createAccount',
    (accounts, data) => ({
      ...named(accounts, 'source', 'newAccount'),
      lamports: data.u64(),
      space: data.u64(),
      owner: data.key(),
    }),
  ],
  ['assign', (accounts, data) => ({ ...named(accounts, 'account'), owner: data.key() })],
  ['transfer', (accounts, data) => ({ ...named(accounts, 'source', 'destination'), lamports: data.u64() })],
  [
    'createAccountWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'source', 'newAccount'),
      base: data.key(),
      seed: data.string(8),
      lamports: data.u64(),
      space: data.u64(),
      owner: data.key(),
    }),
  ],
  ['advanceNonce', (accounts) => named(accounts, 'nonceAccount', 'recentBlockhashesSysvar', 'nonceAuthority')],
  [
    'withdrawFromNonce',
    (accounts, data) => ({
      ...named(accounts, 'nonceAccount', 'destination', 'recentBlockhashesSysvar', 'rentSysvar', 'nonceAuthority'),
      lamports: data.u64(),
    }),
  ],
  [
    'initializeNonce',
    (accounts, data) => ({
      ...named(accounts, 'nonceAccount', 'recentBlockhashesSysvar', 'rentSysvar'),
      nonceAuthority: data.key(),
    }),
  ],
  [
    'authorizeNonce',
    (accounts, data) => ({ ...named(accounts, 'nonceAccount', 'nonceAuthority'), newAuthorized: data.key() }),
  ],
  ['allocate', (accounts, data) => ({ ...named(accounts, 'account'), space: data.u64() })],
  [
    'allocateWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'account', 'base'),
      base: data.key(),
      seed: data.string(8),
      space: data.u64(),
      owner: data.key(),
    }),
  ],
  [
    'assignWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'account', 'base'),
      base: data.key(),
      seed: data.string(8),
      owner: data.key(),
    }),
  ],
  [
    'transferWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'source', 'sourceBase', 'destination'),
      lamports: data.u64(),
      sourceSeed: data.string(8),
      sourceOwner: data.key(),
    }),
  ],
  ['upgradeNonce', (accounts) => named(accounts, 'nonceAccount')],
  [
    'createAccountAllowPrefund',
    (accounts, data) => {
      const lamports = data.u64();
      const sizes = { space: data.u64(), owner: data.key() };
      // Without lamports to move there is no payer.
      if (lamports === 0n) return { ...named(accounts, 'newAccount'), ...sizes };
      return { ...named(accounts, 'newAccount', 'source'), lamports, ...sizes };
    },
  ],
];

export function parseSystem(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new InstructionReader(bytes);
  return parseByTable(INSTRUCTIONS, data.u32(), accounts, data);
}
