import type { Parsed } from '../accounts/parsed.js';
import { named, namedFrom, parseByTable, type InstructionTable } from './instruction.js';
import { InstructionReader } from './instructionReader.js';

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
