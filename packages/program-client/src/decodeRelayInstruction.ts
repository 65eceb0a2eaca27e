import { isInstructionWithData, type AccountMeta, type Address, type Instruction } from '@solana/kit';
import { parseRelayInstruction, type ParsedRelayInstruction } from './generated/programs/index.js';

/** A leg of a task that ends, and who gets its rent. */
export interface ClosedTaskLeg {
  readonly taskLeg: AccountMeta;
  readonly rentPayer: AccountMeta;
}

/** The legs that each instruction names after its fixed accounts, in index order. */
interface LegsOf {
  settle: readonly AccountMeta[];
  reclaimPackage: readonly AccountMeta[];
  settleTask: readonly ClosedTaskLeg[];
  reclaimTask: readonly ClosedTaskLeg[];
}

type WithLegs<Parsed> = Parsed extends { name: infer Name extends keyof LegsOf }
  ? Parsed & { readonly legs: LegsOf[Name] }
  : Parsed;

/** An instruction of the program with its accounts by name and its arguments; `name` tells which one it is. */
export type RelayInstruction = WithLegs<ParsedRelayInstruction>;

/**
 * Decodes an instruction of the program, so that what happened can be told from the transaction itself.
 *
 * @returns undefined when the instruction belongs to another program, or the program would refuse its form (unknown
 *   discriminator, data of another length, too few accounts: rules P-1 and P-2)
 */
export function decodeRelayInstruction(
  programAddress: Address,
  instruction: Instruction,
): RelayInstruction | undefined {
  if (instruction.programAddress !== programAddress || !isInstructionWithData(instruction)) return undefined;
  const { accounts = [] } = instruction;
  try {
    const parsed = parseRelayInstruction(instruction);
    if (parsed.name === 'settle' || parsed.name === 'reclaimPackage') {
      return { ...parsed, legs: afterNamed(parsed, accounts) };
    }
    if (parsed.name === 'settleTask' || parsed.name === 'reclaimTask') {
      return { ...parsed, legs: withRentPayers(afterNamed(parsed, accounts)) };
    }
    return parsed;
  } catch {
    // The generated parser throws for every form that the program refuses.
    return undefined;
  }
}

function afterNamed(parsed: { accounts: object }, accounts: readonly AccountMeta[]): readonly AccountMeta[] {
  return accounts.slice(Object.keys(parsed.accounts).length);
}

/** @throws RangeError when the last leg has no rent payer */
function withRentPayers(accounts: readonly AccountMeta[]): readonly ClosedTaskLeg[] {
  const legs: ClosedTaskLeg[] = [];
  for (let at = 0; at < accounts.length; at += 2) {
    const [taskLeg, rentPayer] = accounts.slice(at, at + 2);
    if (!taskLeg || !rentPayer) throw new RangeError('A leg comes with its rent payer');
    legs.push({ taskLeg, rentPayer });
  }
  return legs;
}
