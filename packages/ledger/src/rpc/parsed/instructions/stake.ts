import type { Parsed } from '../accounts/dataReader.js';
import { named, namedFrom, parseByTable, present, type InstructionTable, InstructionReader } from './instruction.js';

const authority = (data: InstructionReader): string => data.variant(['Staker', 'Withdrawer'], 4);

const INSTRUCTIONS: InstructionTable = [
  [
    'initialize',
    (accounts, data) => ({
      ...named(accounts, 'stakeAccount', 'rentSysvar'),
      authorized: { staker: data.key(), withdrawer: data.key() },
      lockup: { unixTimestamp: data.i64(), epoch: data.u64(), custodian: data.key() },
    }),
  ],
  [
    'authorize',
    (accounts, data) => ({
      ...namedFrom(3, accounts, 'stakeAccount', 'clockSysvar', 'authority', 'custodian'),
      newAuthority: data.key(),
      authorityType: authority(data),
    }),
  ],
  [
    'delegate',
    (accounts) =>
      named(
        accounts,
        'stakeAccount',
        'voteAccount',
        'clockSysvar',
        'stakeHistorySysvar',
        'stakeConfigAccount',
        'stakeAuthority',
      ),
  ],
  [
    'split',
    (accounts, data) => ({
      ...named(accounts, 'stakeAccount', 'newSplitAccount', 'stakeAuthority'),
      lamports: data.u64(),
    }),
  ],
  [
    'withdraw',
    (accounts, data) => ({
      ...namedFrom(
        5,
        accounts,
        'stakeAccount',
        'destination',
        'clockSysvar',
        'stakeHistorySysvar',
        'withdrawAuthority',
        'custodian',
      ),
      lamports: data.u64(),
    }),
  ],
  ['deactivate', (accounts) => named(accounts, 'stakeAccount', 'clockSysvar', 'stakeAuthority')],
  [
    'setLockup',
    (accounts, data) => ({
      ...named(accounts, 'stakeAccount', 'custodian'),
      lockup: present({
        unixTimestamp: data.option(() => data.i64()),
        epoch: data.option(() => data.u64()),
        custodian: data.option(() => data.key()),
      }),
    }),
  ],
  [
    'merge',
    (accounts) => named(accounts, 'destination', 'source', 'clockSysvar', 'stakeHistorySysvar', 'stakeAuthority'),
  ],
  [
    'authorizeWithSeed',
    (accounts, data) => ({
      ...namedFrom(2, accounts, 'stakeAccount', 'authorityBase', 'clockSysvar', 'custodian'),
      newAuthorized: data.key(),
      authorityType: authority(data),
      authoritySeed: data.string(8),
      authorityOwner: data.key(),
    }),
  ],
  ['initializeChecked', (accounts) => named(accounts, 'stakeAccount', 'rentSysvar', 'staker', 'withdrawer')],
  [
    'authorizeChecked',
    (accounts, data) => ({
      ...namedFrom(4, accounts, 'stakeAccount', 'clockSysvar', 'authority', 'newAuthority', 'custodian'),
      authorityType: authority(data),
    }),
  ],
  [
    'authorizeCheckedWithSeed',
    (accounts, data) => ({
      ...namedFrom(4, accounts, 'stakeAccount', 'authorityBase', 'clockSysvar', 'newAuthorized', 'custodian'),
      authorityType: authority(data),
      authoritySeed: data.string(8),
      authorityOwner: data.key(),
    }),
  ],
  [
    'setLockupChecked',
    (accounts, data) => ({
      ...named(accounts, 'stakeAccount', 'custodian'),
      lockup: present({
        unixTimestamp: data.option(() => data.i64()),
        epoch: data.option(() => data.u64()),
        custodian: accounts[2] ?? null,
      }),
    }),
  ],
  // It has no description: `parseStake` leaves that out.
  ['getMinimumDelegation', () => ({})],
  ['deactivateDelinquent', (accounts) => named(accounts, 'stakeAccount', 'voteAccount', 'referenceVoteAccount')],
  [
    'redelegate',
    (accounts) =>
      named(accounts, 'stakeAccount', 'newStakeAccount', 'voteAccount', 'stakeConfigAccount', 'stakeAuthority'),
  ],
  ['moveStake', move],
  ['moveLamports', move],
];

function move(accounts: readonly string[], data: InstructionReader): object {
  return { ...named(accounts, 'source', 'destination', 'stakeAuthority'), lamports: data.u64() };
}

export function parseStake(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new InstructionReader(bytes);
  const parsed = parseByTable(INSTRUCTIONS, data.u32(), accounts, data);
  return parsed.type === 'getMinimumDelegation' ? { type: parsed.type } : parsed;
}
