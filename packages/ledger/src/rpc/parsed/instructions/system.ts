import { DataReader } from './dataReader.js';
import { named, parseByTable, type InstructionTable, type Parsed } from './instruction.js';

const INSTRUCTIONS: InstructionTable = [
  [
    'createAccount',
    (accounts, data) => ({
      ...named(accounts, 'source', 'newAccount'),
      lamports: data.u64(),
      space: data.u64(),
      owner: data.address(),
    }),
  ],
  ['assign', (accounts, data) => ({ ...named(accounts, 'account'), owner: data.address() })],
  ['transfer', (accounts, data) => ({ ...named(accounts, 'source', 'destination'), lamports: data.u64() })],
  [
    'createAccountWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'source', 'newAccount'),
      base: data.address(),
      seed: data.text(8),
      lamports: data.u64(),
      space: data.u64(),
      owner: data.address(),
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
      nonceAuthority: data.address(),
    }),
  ],
  [
    'authorizeNonce',
    (accounts, data) => ({ ...named(accounts, 'nonceAccount', 'nonceAuthority'), newAuthorized: data.address() }),
  ],
  ['allocate', (accounts, data) => ({ ...named(accounts, 'account'), space: data.u64() })],
  [
    'allocateWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'account', 'base'),
      base: data.address(),
      seed: data.text(8),
      space: data.u64(),
      owner: data.address(),
    }),
  ],
  [
    'assignWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'account', 'base'),
      base: data.address(),
      seed: data.text(8),
      owner: data.address(),
    }),
  ],
  [
    'transferWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'source', 'sourceBase', 'destination'),
      lamports: data.u64(),
      sourceSeed: data.text(8),
      sourceOwner: data.address(),
    }),
  ],
  ['upgradeNonce', (accounts) => named(accounts, 'nonceAccount')],
  [
    'createAccountAllowPrefund',
    (accounts, data) => {
      const lamports = data.u64();
      const sizes = { space: data.u64(), owner: data.address() };
      // Without lamports to move there is no payer.
      if (lamports === 0n) return { ...named(accounts, 'newAccount'), ...sizes };
      return { ...named(accounts, 'newAccount', 'source'), lamports, ...sizes };
    },
  ],
];

export function parseSystem(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new DataReader(bytes);
  return parseByTable(INSTRUCTIONS, data.u32(), accounts, data);
}
