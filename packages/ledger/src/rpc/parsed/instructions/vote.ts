import { UnreadableDataError, type Parsed } from '../accounts/dataReader.js';
import { named, parseByTable, type Describe, type InstructionTable, InstructionReader } from './instruction.js';

/** Stands for no root, too. */
const MAX_U64 = 0xffff_ffff_ffff_ffffn;

const BLS_KEY_BYTES = 48;
const BLS_PROOF_BYTES = 96;

function authorityType(data: InstructionReader): unknown {
  const type = data.variant(['Voter', 'Withdrawer', 'VoterWithBLS'], 4);
  if (type !== 'VoterWithBLS') return type;
  const key = [...data.bytes(BLS_KEY_BYTES)];
  return { VoterWithBLS: { bls_pubkey: key, bls_proof_of_possession: [...data.bytes(BLS_PROOF_BYTES)] } };
}

const commissionKind = (data: InstructionReader): string => data.variant(['InflationRewards', 'BlockRevenue'], 4);
const timestamp = (data: InstructionReader): bigint | null => data.option(() => data.i64());

function votedSlots(data: InstructionReader): object {
  return { slots: data.list(() => data.u64()), hash: data.key(), timestamp: timestamp(data) };
}

function voteState(data: InstructionReader): object {
  const lockouts = data.list(() => ({ slot: data.u64(), confirmation_count: data.u32() }));
  return { lockouts, root: data.option(() => data.u64()), hash: data.key(), timestamp: timestamp(data) };
}

/** A vote state as validators send it today: each slot as its distance to the one before. */
function compactVoteState(data: InstructionReader): object {
  const first = data.u64();
  const root = first === MAX_U64 ? null : first;
  let slot = root ?? 0n;
  const count = variableInteger(data);
  const lockouts: object[] = [];
  while (lockouts.length < count) {
    slot += variableInteger(data);
    if (slot > MAX_U64) throw new UnreadableDataError();
    lockouts.push({ slot, confirmation_count: data.u8() });
  }
  return { lockouts, root, hash: data.key(), timestamp: timestamp(data) };
}

function towerSync(data: InstructionReader): object {
  return { ...compactVoteState(data), blockId: data.key() };
}

/** An integer of seven bits a byte, lowest first; the highest bit says that more follow. */
function variableInteger(data: InstructionReader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 64n; shift += 7n) {
    const byte = BigInt(data.u8());
    value |= (byte & 0x7fn) << shift;
    if (byte < 0x80n) return value;
  }
  throw new UnreadableDataError();
}

function voting(field: string, read: (data: InstructionReader) => object, isSwitch: boolean): Describe {
  return (accounts, data) => ({
    ...named(accounts, 'voteAccount', 'voteAuthority'),
    [field]: read(data),
    ...(isSwitch ? { hash: data.key() } : {}),
  });
}

const SYSVARS_AND_VOTER = ['voteAccount', 'slotHashesSysvar', 'clockSysvar', 'voteAuthority'] as const;

const INSTRUCTIONS: InstructionTable = [
  [
    'initialize',
    (accounts, data) => {
      data.key(); // The node: shown as the account that signs.
      return {
        ...named(accounts, 'voteAccount', 'rentSysvar', 'clockSysvar', 'node'),
        authorizedVoter: data.key(),
        authorizedWithdrawer: data.key(),
        commission: data.u8(),
      };
    },
  ],
  [
    'authorize',
    (accounts, data) => ({
      ...named(accounts, 'voteAccount', 'clockSysvar', 'authority'),
      newAuthority: data.key(),
      authorityType: authorityType(data),
    }),
  ],
  ['vote', (accounts, data) => ({ ...named(accounts, ...SYSVARS_AND_VOTER), vote: votedSlots(data) })],
  [
    'withdraw',
    (accounts, data) => ({
      ...named(accounts, 'voteAccount', 'destination', 'withdrawAuthority'),
      lamports: data.u64(),
    }),
  ],
  [
    'updateValidatorIdentity',
    (accounts) => named(accounts, 'voteAccount', 'newValidatorIdentity', 'withdrawAuthority'),
  ],
  [
    'updateCommission',
    (accounts, data) => ({ ...named(accounts, 'voteAccount', 'withdrawAuthority'), commission: data.u8() }),
  ],
  [
    'voteSwitch',
    (accounts, data) => ({ ...named(accounts, ...SYSVARS_AND_VOTER), vote: votedSlots(data), hash: data.key() }),
  ],
  [
    'authorizeChecked',
    (accounts, data) => ({
      ...named(accounts, 'voteAccount', 'clockSysvar', 'authority', 'newAuthority'),
      authorityType: authorityType(data),
    }),
  ],
  // These names are in lower case on a cluster, too.
  ['updatevotestate', voting('voteStateUpdate', voteState, false)],
  ['updatevotestateswitch', voting('voteStateUpdate', voteState, true)],
  [
    'authorizeWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'voteAccount', 'clockSysvar', 'authorityBaseKey'),
      authorityType: authorityType(data),
      authorityOwner: data.key(),
      authoritySeed: data.string(8),
      newAuthority: data.key(),
    }),
  ],
  [
    'authorizeCheckedWithSeed',
    (accounts, data) => ({
      ...named(accounts, 'voteAccount', 'clockSysvar', 'authorityBaseKey', 'newAuthority'),
      authorityType: authorityType(data),
      authorityOwner: data.key(),
      authoritySeed: data.string(8),
    }),
  ],
  ['compactupdatevotestate', voting('voteStateUpdate', compactVoteState, false)],
  ['compactupdatevotestateswitch', voting('voteStateUpdate', compactVoteState, true)],
  ['towersync', voting('towerSync', towerSync, false)],
  ['towersyncswitch', voting('towerSync', towerSync, true)],
  ['initializeV2', initializeV2],
  [
    'updateCommissionCollector',
    (accounts, data) => ({
      ...named(accounts, 'voteAccount', 'newCollector', 'withdrawAuthority'),
      commissionKind: commissionKind(data),
    }),
  ],
  [
    'updateCommissionBps',
    (accounts, data) => ({
      ...named(accounts, 'voteAccount', 'withdrawAuthority'),
      commissionBps: data.u16(),
      commissionKind: commissionKind(data),
    }),
  ],
  [
    'depositDelegatorRewards',
    (accounts, data) => ({ ...named(accounts, 'voteAccount', 'source'), deposit: data.u64() }),
  ],
];

function initializeV2(accounts: readonly string[], data: InstructionReader): object {
  data.key(); // The node: shown as the account that signs.
  return {
    ...named(accounts, 'voteAccount', 'node', 'inflationRewardsCollector', 'blockRevenueCollector'),
    authorizedVoter: data.key(),
    authorizedVoterBlsPubkey: data.base64(BLS_KEY_BYTES),
    authorizedVoterBlsProofOfPossession: data.base64(BLS_PROOF_BYTES),
    authorizedWithdrawer: data.key(),
    inflationRewardsCommissionBps: data.u16(),
    blockRevenueCommissionBps: data.u16(),
  };
}

export function parseVote(accounts: readonly string[], bytes: Uint8Array): Parsed {
  const data = new InstructionReader(bytes);
  return parseByTable(INSTRUCTIONS, data.u32(), accounts, data);
}
