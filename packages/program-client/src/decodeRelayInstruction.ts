import { isInstructionWithData, isSome, type AccountMeta, type Address, type Instruction } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from './addresses.js';
import {
  getAssignLegInstructionDataEncoder,
  getAssignTaskLegInstructionDataEncoder,
  getListPackageInstructionDataEncoder,
  getListTaskInstructionDataEncoder,
} from './generated/instructions/index.js';
import { parseRelayInstruction, type ParsedRelayInstruction } from './generated/programs/index.js';
import { INSTRUCTIONS } from './instructions.js';

/** Token program, asset and the vault's token account. */
const TOKENS_OWN = 3;
/** Its associated token account, and its locker's. */
const PAYEE_ACCOUNTS = 2;
/** Behind their own accounts these name legs and couriers, and the accounts of tokens only then. */
export const LISTS_FIRST: ReadonlySet<string> = new Set(['settle', 'reclaimPackage', 'settleTask', 'reclaimTask']);

/** A leg of a task that ends, and the receiver of its rent. */
export interface ClosedTaskLeg {
  readonly taskLeg: AccountMeta;
  readonly rentPayer: AccountMeta;
}

/** The legs beside the vacant one of an active swarm; undefined: none on that side. */
export interface Neighbours {
  readonly before: AccountMeta | undefined;
  readonly after: AccountMeta | undefined;
}

/** The accounts that each instruction names after its fixed ones; legs are in index order. */
interface Trailing {
  /** Undefined: the leg is the next one of a forming swarm. */
  assignLeg: { readonly neighbours: Neighbours | undefined };
  settle: { readonly legs: readonly AccountMeta[] };
  /** The assigned legs, then the couriers of accepted ones: how many legs there are is in the swarm only. */
  reclaimPackage: { readonly legsThenCouriers: readonly AccountMeta[] };
  settleTask: { readonly legs: readonly ClosedTaskLeg[] };
  /** With terms the agent of an accepted leg comes last. */
  reclaimTask: { readonly legs: readonly ClosedTaskLeg[]; readonly agent: AccountMeta | undefined };
}

/** The accounts of tokens that an instruction about a listing has which is paid in one. Rule P-109. */
export interface TokenAccounts {
  /** The account of the asset. */
  readonly asset: Address;
  /** The vault's associated token account. */
  readonly vault: Address;
  /** Of who pays, or two for each that is paid. */
  readonly parties: readonly Address[];
}

type WithTrailing<Parsed> = Parsed extends { name: infer Name extends keyof Trailing }
  ? Parsed & Trailing[Name]
  : Parsed;

/** An instruction of the program with its accounts by name and its arguments; `name` tells which one it is. */
export type RelayInstruction = WithTrailing<ParsedRelayInstruction> & {
  /** Undefined: it moves lamports, or nothing. */
  readonly tokens?: TokenAccounts | undefined;
};

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
    if (!isWhole(parsed, instruction.data.length)) return undefined;
    const [trailing, tokens] = withoutTokens(parsed.name, afterNamed(parsed, accounts));
    if (parsed.name === 'assignLeg') return { ...parsed, neighbours: neighboursOf(programAddress, trailing) };
    if (parsed.name === 'settle') return { ...parsed, tokens, legs: trailing };
    if (parsed.name === 'reclaimPackage') return { ...parsed, tokens, legsThenCouriers: trailing };
    if (parsed.name === 'settleTask') return { ...parsed, tokens, legs: withRentPayers(trailing) };
    if (parsed.name === 'reclaimTask') {
      const agent = trailing.length % 2 === 1 ? trailing.at(-1) : undefined;
      return { ...parsed, tokens, legs: withRentPayers(agent ? trailing.slice(0, -1) : trailing), agent };
    }
    return { ...parsed, tokens };
  } catch {
    // The generated parser throws for every form that the program refuses.
    return undefined;
  }
}

/** The accounts that follow the named ones without those of tokens, and these. */
function withoutTokens(
  name: ParsedRelayInstruction['name'],
  accounts: readonly AccountMeta[],
): [readonly AccountMeta[], TokenAccounts | undefined] {
  const { deposits, payees } = INSTRUCTIONS[name];
  if (deposits === null && payees.length === 0) return [accounts, undefined];
  const at = accounts.findIndex((account) => account.address === TOKEN_PROGRAM_ADDRESS);
  const isLast = LISTS_FIRST.has(name);
  if (at === -1 || (at > 0 && !isLast)) return [accounts, undefined];
  const end = isLast ? accounts.length : at + TOKENS_OWN + (deposits === null ? 0 : 1) + payees.length * PAYEE_ACCOUNTS;
  const [, asset, vault, ...parties] = accounts.slice(at, end).map((account) => account.address);
  if (asset === undefined || vault === undefined) return [accounts, undefined];
  return [[...accounts.slice(0, at), ...accounts.slice(end)], { asset, vault, parties }];
}

function afterNamed(parsed: { accounts: object }, accounts: readonly AccountMeta[]): readonly AccountMeta[] {
  return accounts.slice(Object.keys(parsed.accounts).length);
}

/** The generated decoders do not see bytes after a tail, nor that an assignment says nothing but yes in its own. */
function isWhole(parsed: ParsedRelayInstruction, length: number): boolean {
  const { name, data } = parsed;
  if (name === 'listPackage') return getListPackageInstructionDataEncoder().encode(data).length === length;
  if (name === 'listTask') return getListTaskInstructionDataEncoder().encode(data).length === length;
  if (name !== 'assignLeg' && name !== 'assignTaskLeg') return true;
  if (isSome(data.countedLater) && !data.countedLater.value) return false;
  if (name === 'assignLeg') return getAssignLegInstructionDataEncoder().encode(data).length === length;
  return getAssignTaskLegInstructionDataEncoder().encode(data).length === length;
}

/** The program's own address stands for no leg. */
function neighboursOf(programAddress: Address, accounts: readonly AccountMeta[]): Neighbours | undefined {
  const [before, after] = accounts;
  if (!before || !after) return undefined;
  const present = (leg: AccountMeta) => (leg.address === programAddress ? undefined : leg);
  return { before: present(before), after: present(after) };
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
