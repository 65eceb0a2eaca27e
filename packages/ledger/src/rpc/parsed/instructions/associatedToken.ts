import type { Parsed } from '../accounts/parsed.js';
import { named, parseByTable, type Describe, type InstructionTable } from './instruction.js';
import { InstructionReader } from './instructionReader.js';

const create: Describe = (accounts) =>
  named(accounts, 'source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram');

const INSTRUCTIONS: InstructionTable = [
  ['create', create],
  ['createIdempotent', create],
  [
    'recoverNested',
    (accounts) =>
      named(
        accounts,
        'nestedSource',
        'nestedMint',
        'destination',
        'nestedOwner',
        'ownerMint',
        'wallet',
        'tokenProgram',
      ),
  ],
];

export function parseAssociatedToken(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new InstructionReader(bytes);
  // The program's first version had no data.
  const number = data.left === 0 ? 0 : data.u8();
  data.end();
  return parseByTable(INSTRUCTIONS, number, accounts, data);
}
