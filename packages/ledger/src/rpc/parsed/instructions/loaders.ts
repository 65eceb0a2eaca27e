import type { Parsed } from '../accounts/dataReader.js';
import { named, namedFrom, parseByTable, type InstructionTable, InstructionReader } from './instruction.js';

function chunk(data: InstructionReader): object {
  return { offset: data.u32(), bytes: data.base64(Number(data.u64())) };
}

const LOADER: InstructionTable = [
  ['write', (accounts, data) => ({ ...named(accounts, 'account'), ...chunk(data) })],
  ['finalize', (accounts) => ({ account: named(accounts, 'account', 'rentSysvar').account })],
];

export function parseLoader(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new InstructionReader(bytes);
  return parseByTable(LOADER, data.u32(), accounts, data);
}

const UPGRADEABLE: InstructionTable = [
  ['initializeBuffer', (accounts) => namedFrom(1, accounts, 'account', 'authority')],
  ['write', (accounts, data) => ({ ...named(accounts, 'account', 'authority'), ...chunk(data) })],
  [
    'deployWithMaxDataLen',
    (accounts, data) => ({
      ...named(
        accounts,
        'payerAccount',
        'programDataAccount',
        'programAccount',
        'bufferAccount',
        'rentSysvar',
        'clockSysvar',
        'systemProgram',
        'authority',
      ),
      maxDataLen: data.u64(),
    }),
  ],
  [
    'upgrade',
    (accounts) =>
      named(
        accounts,
        'programDataAccount',
        'programAccount',
        'bufferAccount',
        'spillAccount',
        'rentSysvar',
        'clockSysvar',
        'authority',
      ),
  ],
  ['setAuthority', (accounts) => ({ ...named(accounts, 'account', 'authority'), newAuthority: accounts[2] ?? null })],
  [
    'close',
    (accounts) => ({ ...named(accounts, 'account', 'recipient', 'authority'), programAccount: accounts[3] ?? null }),
  ],
  [
    'extendProgram',
    (accounts, data) => ({
      ...named(accounts, 'programDataAccount', 'programAccount'),
      additionalBytes: data.u32(),
      systemProgram: accounts[2] ?? null,
      payerAccount: accounts[3] ?? null,
    }),
  ],
  ['setAuthorityChecked', (accounts) => named(accounts, 'account', 'authority', 'newAuthority')],
];

export function parseUpgradeableLoader(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new InstructionReader(bytes);
  return parseByTable(UPGRADEABLE, data.u32(), accounts, data);
}

const TABLE = ['lookupTableAccount', 'lookupTableAuthority'] as const;

const INSTRUCTIONS: InstructionTable = [
  [
    'createLookupTable',
    (accounts, data) => ({
      ...named(accounts, ...TABLE, 'payerAccount', 'systemProgram'),
      recentSlot: data.u64(),
      bumpSeed: data.u8(),
    }),
  ],
  ['freezeLookupTable', (accounts) => named(accounts, ...TABLE)],
  [
    'extendLookupTable',
    (accounts, data) => ({
      ...(accounts.length < 4 ? named(accounts, ...TABLE) : named(accounts, ...TABLE, 'payerAccount', 'systemProgram')),
      newAddresses: data.list(() => data.key()),
    }),
  ],
  ['deactivateLookupTable', (accounts) => named(accounts, ...TABLE)],
  ['closeLookupTable', (accounts) => named(accounts, ...TABLE, 'recipient')],
];

export function parseLookupTable(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new InstructionReader(bytes);
  return parseByTable(INSTRUCTIONS, data.u32(), accounts, data);
}
