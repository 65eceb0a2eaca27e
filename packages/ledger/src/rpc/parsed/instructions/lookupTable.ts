import type { Parsed } from '../accounts/parsed.js';
import { named, parseByTable, type InstructionTable } from './instruction.js';
import { InstructionReader } from './instructionReader.js';

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
