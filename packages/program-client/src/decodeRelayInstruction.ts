import type { AccountMeta, Address, Instruction, ReadonlyUint8Array } from '@solana/kit';
import {
  ACCEPT_AUTHORITY_DISCRIMINATOR,
  ASSIGN_LEG_DISCRIMINATOR,
  ASSIGN_TASK_LEG_DISCRIMINATOR,
  CANCEL_PACKAGE_DISCRIMINATOR,
  CANCEL_TASK_DISCRIMINATOR,
  CLOSE_PACKAGE_DISCRIMINATOR,
  CLOSE_TASK_DISCRIMINATOR,
  CONFIRM_LEG_DISCRIMINATOR,
  CONFIRM_TASK_LEG_DISCRIMINATOR,
  FORM_SWARM_DISCRIMINATOR,
  INITIALIZE_DISCRIMINATOR,
  LIST_PACKAGE_DISCRIMINATOR,
  LIST_TASK_DISCRIMINATOR,
  OPEN_REPUTATION_DISCRIMINATOR,
  PROPOSE_AUTHORITY_DISCRIMINATOR,
  RECLAIM_PACKAGE_DISCRIMINATOR,
  RECLAIM_TASK_DISCRIMINATOR,
  RELEASE_TASK_LEG_DISCRIMINATOR,
  SETTLE_DISCRIMINATOR,
  SETTLE_TASK_DISCRIMINATOR,
  SET_COORDINATOR_DISCRIMINATOR,
  SET_PAUSED_DISCRIMINATOR,
  getAcceptAuthorityInstructionDataDecoder,
  getAssignLegInstructionDataDecoder,
  getAssignTaskLegInstructionDataDecoder,
  getCancelPackageInstructionDataDecoder,
  getCancelTaskInstructionDataDecoder,
  getClosePackageInstructionDataDecoder,
  getCloseTaskInstructionDataDecoder,
  getConfirmLegInstructionDataDecoder,
  getConfirmTaskLegInstructionDataDecoder,
  getFormSwarmInstructionDataDecoder,
  getInitializeInstructionDataDecoder,
  getListPackageInstructionDataDecoder,
  getListTaskInstructionDataDecoder,
  getOpenReputationInstructionDataDecoder,
  getProposeAuthorityInstructionDataDecoder,
  getReclaimPackageInstructionDataDecoder,
  getReclaimTaskInstructionDataDecoder,
  getReleaseTaskLegInstructionDataDecoder,
  getSetCoordinatorInstructionDataDecoder,
  getSetPausedInstructionDataDecoder,
  getSettleInstructionDataDecoder,
  getSettleTaskInstructionDataDecoder,
  parseAcceptAuthorityInstruction,
  parseAssignLegInstruction,
  parseAssignTaskLegInstruction,
  parseCancelPackageInstruction,
  parseCancelTaskInstruction,
  parseClosePackageInstruction,
  parseCloseTaskInstruction,
  parseConfirmLegInstruction,
  parseConfirmTaskLegInstruction,
  parseFormSwarmInstruction,
  parseInitializeInstruction,
  parseListPackageInstruction,
  parseListTaskInstruction,
  parseOpenReputationInstruction,
  parseProposeAuthorityInstruction,
  parseReclaimPackageInstruction,
  parseReclaimTaskInstruction,
  parseReleaseTaskLegInstruction,
  parseSetCoordinatorInstruction,
  parseSetPausedInstruction,
  parseSettleInstruction,
  parseSettleTaskInstruction,
} from './generated/index.js';

type Complete = Instruction & {
  readonly accounts: readonly AccountMeta[];
  readonly data: ReadonlyUint8Array;
};

/** How an instruction is read: its name, the length of its data, and the parser of its accounts and arguments. */
function reader<Name extends string, Parsed extends object>(
  name: Name,
  decoder: { readonly fixedSize: number },
  parse: (instruction: Complete) => Parsed,
) {
  return {
    length: decoder.fixedSize,
    read: (instruction: Complete): { readonly name: Name } & Parsed => ({ name, ...parse(instruction) }),
  };
}

/** Accounts of settle and reclaimPackage before the legs. */
const ACCOUNTS_BEFORE_LEGS = 8;

function legsOf({ accounts }: Complete): { readonly legs: readonly AccountMeta[] } {
  return { legs: accounts.slice(ACCOUNTS_BEFORE_LEGS) };
}

/** Accounts of settleTask and reclaimTask before the legs. */
const ACCOUNTS_BEFORE_TASK_LEGS = 6;

/** A leg of a task that ends, and who gets its rent. */
export interface ClosedTaskLeg {
  readonly taskLeg: AccountMeta;
  readonly rentPayer: AccountMeta;
}

/** @throws RangeError when the last leg has no rent payer */
function taskLegsOf({ accounts }: Complete): { readonly legs: readonly ClosedTaskLeg[] } {
  const legs: ClosedTaskLeg[] = [];
  for (let at = ACCOUNTS_BEFORE_TASK_LEGS; at < accounts.length; at += 2) {
    const [taskLeg, rentPayer] = accounts.slice(at, at + 2);
    if (!taskLeg || !rentPayer) throw new RangeError('A leg comes with its rent payer');
    legs.push({ taskLeg, rentPayer });
  }
  return { legs };
}

const READERS = {
  [INITIALIZE_DISCRIMINATOR]: reader('initialize', getInitializeInstructionDataDecoder(), (instruction) =>
    parseInitializeInstruction(instruction),
  ),
  [SET_COORDINATOR_DISCRIMINATOR]: reader('setCoordinator', getSetCoordinatorInstructionDataDecoder(), (instruction) =>
    parseSetCoordinatorInstruction(instruction),
  ),
  [SET_PAUSED_DISCRIMINATOR]: reader('setPaused', getSetPausedInstructionDataDecoder(), (instruction) =>
    parseSetPausedInstruction(instruction),
  ),
  [LIST_PACKAGE_DISCRIMINATOR]: reader('listPackage', getListPackageInstructionDataDecoder(), (instruction) =>
    parseListPackageInstruction(instruction),
  ),
  [CANCEL_PACKAGE_DISCRIMINATOR]: reader('cancelPackage', getCancelPackageInstructionDataDecoder(), (instruction) =>
    parseCancelPackageInstruction(instruction),
  ),
  [FORM_SWARM_DISCRIMINATOR]: reader('formSwarm', getFormSwarmInstructionDataDecoder(), (instruction) =>
    parseFormSwarmInstruction(instruction),
  ),
  [ASSIGN_LEG_DISCRIMINATOR]: reader('assignLeg', getAssignLegInstructionDataDecoder(), (instruction) =>
    parseAssignLegInstruction(instruction),
  ),
  [CONFIRM_LEG_DISCRIMINATOR]: reader('confirmLeg', getConfirmLegInstructionDataDecoder(), (instruction) =>
    parseConfirmLegInstruction(instruction),
  ),
  [SETTLE_DISCRIMINATOR]: reader('settle', getSettleInstructionDataDecoder(), (instruction) => ({
    ...parseSettleInstruction(instruction),
    ...legsOf(instruction),
  })),
  [RECLAIM_PACKAGE_DISCRIMINATOR]: reader(
    'reclaimPackage',
    getReclaimPackageInstructionDataDecoder(),
    (instruction) => ({ ...parseReclaimPackageInstruction(instruction), ...legsOf(instruction) }),
  ),
  [CLOSE_PACKAGE_DISCRIMINATOR]: reader('closePackage', getClosePackageInstructionDataDecoder(), (instruction) =>
    parseClosePackageInstruction(instruction),
  ),
  [PROPOSE_AUTHORITY_DISCRIMINATOR]: reader(
    'proposeAuthority',
    getProposeAuthorityInstructionDataDecoder(),
    (instruction) => parseProposeAuthorityInstruction(instruction),
  ),
  [ACCEPT_AUTHORITY_DISCRIMINATOR]: reader(
    'acceptAuthority',
    getAcceptAuthorityInstructionDataDecoder(),
    (instruction) => parseAcceptAuthorityInstruction(instruction),
  ),
  [OPEN_REPUTATION_DISCRIMINATOR]: reader('openReputation', getOpenReputationInstructionDataDecoder(), (instruction) =>
    parseOpenReputationInstruction(instruction),
  ),
  [LIST_TASK_DISCRIMINATOR]: reader('listTask', getListTaskInstructionDataDecoder(), (instruction) =>
    parseListTaskInstruction(instruction),
  ),
  [ASSIGN_TASK_LEG_DISCRIMINATOR]: reader('assignTaskLeg', getAssignTaskLegInstructionDataDecoder(), (instruction) =>
    parseAssignTaskLegInstruction(instruction),
  ),
  [RELEASE_TASK_LEG_DISCRIMINATOR]: reader('releaseTaskLeg', getReleaseTaskLegInstructionDataDecoder(), (instruction) =>
    parseReleaseTaskLegInstruction(instruction),
  ),
  [CONFIRM_TASK_LEG_DISCRIMINATOR]: reader('confirmTaskLeg', getConfirmTaskLegInstructionDataDecoder(), (instruction) =>
    parseConfirmTaskLegInstruction(instruction),
  ),
  [SETTLE_TASK_DISCRIMINATOR]: reader('settleTask', getSettleTaskInstructionDataDecoder(), (instruction) => ({
    ...parseSettleTaskInstruction(instruction),
    ...taskLegsOf(instruction),
  })),
  [CANCEL_TASK_DISCRIMINATOR]: reader('cancelTask', getCancelTaskInstructionDataDecoder(), (instruction) =>
    parseCancelTaskInstruction(instruction),
  ),
  [RECLAIM_TASK_DISCRIMINATOR]: reader('reclaimTask', getReclaimTaskInstructionDataDecoder(), (instruction) => ({
    ...parseReclaimTaskInstruction(instruction),
    ...taskLegsOf(instruction),
  })),
  [CLOSE_TASK_DISCRIMINATOR]: reader('closeTask', getCloseTaskInstructionDataDecoder(), (instruction) =>
    parseCloseTaskInstruction(instruction),
  ),
};

type Readers = typeof READERS;

/** An instruction of the program with its accounts by name and its arguments; `name` tells which one it is. */
export type RelayInstruction = ReturnType<Readers[keyof Readers]['read']>;

/** An instruction of a transaction, as the transaction carries it. */
export interface RawInstruction {
  readonly programAddress: Address;
  readonly accounts?: readonly AccountMeta[];
  readonly data?: ReadonlyUint8Array;
}

function isKnown(discriminator: number | undefined): discriminator is keyof Readers {
  return discriminator !== undefined && Object.hasOwn(READERS, discriminator);
}

/**
 * Decodes an instruction of the program, so that what happened can be told from the transaction itself.
 *
 * @returns undefined when the instruction belongs to another program, or the program would refuse its form (unknown
 *   discriminator, data of another length, too few accounts: rules P-1 and P-2)
 */
export function decodeRelayInstruction(
  programAddress: Address,
  instruction: RawInstruction,
): RelayInstruction | undefined {
  const { accounts = [], data = new Uint8Array() } = instruction;
  const discriminator = data[0];
  if (instruction.programAddress !== programAddress || !isKnown(discriminator)) return undefined;
  const { length, read } = READERS[discriminator];
  if (data.length !== length) return undefined;
  try {
    return read({ programAddress, accounts, data });
  } catch {
    // What is left to go wrong: accounts that are missing.
    return undefined;
  }
}
