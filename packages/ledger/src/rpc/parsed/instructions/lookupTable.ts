import { DataReader } from './dataReader.js';
import { named, parseByTable, type InstructionTable, type Parsed } from './instruction.js';

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
      newAddresses: data.list(() => data.address()),
    }),
  ],
  ['deactivateLookupTable', (accounts) => named(accounts, ...TABLE)],
  ['closeLookupTable', (accounts) => named(accounts, ...TABLE, 'recipient')],
];

export function parseLookupTable(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new DataReader(bytes);
  return parseByTable(INSTRUCTIONS, data.u32(), accounts, data);
}
