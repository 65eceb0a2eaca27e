import type { AccountMeta, Address, Instruction, ReadonlyUint8Array } from '@solana/kit';
import {
  ASSIGN_LEG_DISCRIMINATOR,
  CANCEL_PACKAGE_DISCRIMINATOR,
  CONFIRM_LEG_DISCRIMINATOR,
  FORM_SWARM_DISCRIMINATOR,
  INITIALIZE_DISCRIMINATOR,
  LIST_PACKAGE_DISCRIMINATOR,
  RECLAIM_PACKAGE_DISCRIMINATOR,
  SETTLE_DISCRIMINATOR,
  parseAssignLegInstruction,
  parseCancelPackageInstruction,
  parseConfirmLegInstruction,
  parseFormSwarmInstruction,
  parseInitializeInstruction,
  parseListPackageInstruction,
  parseReclaimPackageInstruction,
  parseSettleInstruction,
} from './generated/index.js';

type Input = Instruction & {
  readonly accounts: readonly AccountMeta[];
  readonly data: ReadonlyUint8Array;
};

/** The parsers by discriminator; the name is the instruction's name in the IDL. */
const PARSERS = {
  [INITIALIZE_DISCRIMINATOR]: (input: Input) => ({ name: 'initialize' as const, ...parseInitializeInstruction(input) }),
  [LIST_PACKAGE_DISCRIMINATOR]: (input: Input) => ({
    name: 'listPackage' as const,
    ...parseListPackageInstruction(input),
  }),
  [CANCEL_PACKAGE_DISCRIMINATOR]: (input: Input) => ({
    name: 'cancelPackage' as const,
    ...parseCancelPackageInstruction(input),
  }),
  [FORM_SWARM_DISCRIMINATOR]: (input: Input) => ({ name: 'formSwarm' as const, ...parseFormSwarmInstruction(input) }),
  [ASSIGN_LEG_DISCRIMINATOR]: (input: Input) => ({ name: 'assignLeg' as const, ...parseAssignLegInstruction(input) }),
  [CONFIRM_LEG_DISCRIMINATOR]: (input: Input) => ({
    name: 'confirmLeg' as const,
    ...parseConfirmLegInstruction(input),
  }),
  [SETTLE_DISCRIMINATOR]: (input: Input) => ({
    name: 'settle' as const,
    ...parseSettleInstruction(input),
    legs: input.accounts.slice(SETTLE_FIXED_ACCOUNTS),
  }),
  [RECLAIM_PACKAGE_DISCRIMINATOR]: (input: Input) => ({
    name: 'reclaimPackage' as const,
    ...parseReclaimPackageInstruction(input),
    legs: input.accounts.slice(SETTLE_FIXED_ACCOUNTS),
  }),
};

/** Accounts of settle and reclaimPackage before the legs. */
const SETTLE_FIXED_ACCOUNTS = 8;

type Parsers = typeof PARSERS;

/** An instruction of the program with its accounts by name and its arguments; `name` tells which one it is. */
export type RelayInstruction = ReturnType<Parsers[keyof Parsers]>;

/** An instruction of a transaction, as the transaction carries it. */
export interface RawInstruction {
  readonly programAddress: Address;
  readonly accounts?: readonly AccountMeta[];
  readonly data?: ReadonlyUint8Array;
}

function isKnownDiscriminator(value: number | undefined): value is keyof Parsers {
  return value !== undefined && Object.hasOwn(PARSERS, value);
}

/**
 * Decodes an instruction of the program, so that what happened can be told from the transaction itself.
 *
 * @returns undefined when the instruction belongs to another program or is not one of this program's instructions
 *   (unknown discriminator, too few accounts, data of another length)
 */
export function decodeRelayInstruction(
  programAddress: Address,
  instruction: RawInstruction,
): RelayInstruction | undefined {
  const { accounts = [], data = new Uint8Array() } = instruction;
  const discriminator = data[0];
  if (instruction.programAddress !== programAddress || !isKnownDiscriminator(discriminator)) return undefined;
  try {
    return PARSERS[discriminator]({ programAddress, accounts, data });
  } catch {
    return undefined;
  }
}
