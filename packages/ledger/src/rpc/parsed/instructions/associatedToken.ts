import { DataReader } from './dataReader.js';
import { named, parseByTable, type Describe, type InstructionTable, type Parsed } from './instruction.js';

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
  const data = new DataReader(bytes);
  // The program's first version had no data.
  const number = data.left === 0 ? 0 : data.u8();
  data.end();
  return parseByTable(INSTRUCTIONS, number, accounts, data);
}
