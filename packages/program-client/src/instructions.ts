import type { AccountMeta, Address } from '@solana/kit';
import type { RelayInstruction } from './decodeRelayInstruction.js';

export type InstructionName = RelayInstruction['name'];

/** The instruction with this name. */
export type Named<Name extends InstructionName> = Extract<RelayInstruction, { name: Name }>;

/** The account that names a listing: of a package, of a digital task, or of either. */
type ListingAccount = 'package' | 'task' | 'listing';

/** The known facts of an instruction, by its name. */
interface Known<Account> {
  /** The account of the listing that it is about; null: it is about the program, or an agent. */
  about: Extract<Account, ListingAccount> | null;
  /** It moves the clocks of a listing with terms, so that it matters when it landed. */
  isTimed: boolean;
  /** The accounts of the agents whose reputation it may change. */
  agents: readonly Account[];
  /** It pays wallets for a leg, out of the vault or the account of the leg; the vault keeps what they cannot receive. */
  paysForLeg: boolean;
  /** The account that pays a budget or a stake. */
  deposits: Account | null;
  /** The accounts of the wallets that it pays, as far as it names them, in the order of what it says of tokens. */
  payees: readonly Account[];
  /** The amount that it takes, beside the fee, from the party that signs it; null: no party needs to sign it. */
  takes: 'escrow' | 'stake' | 'rent' | 'nothing' | null;
}

type Table = { [Name in InstructionName]: Known<keyof Named<Name>['accounts'] & string> };

const QUIET = { agents: [], paysForLeg: false, deposits: null, payees: [] } as const;
const SILENT = { ...QUIET, isTimed: false } as const;
const TIMED = { ...QUIET, isTimed: true } as const;

/** The instructions of the program. */
export const INSTRUCTIONS = {
  initialize: { ...SILENT, about: null, takes: null },
  proposeAuthority: { ...SILENT, about: null, takes: null },
  acceptAuthority: { ...SILENT, about: null, takes: null },
  setCoordinator: { ...SILENT, about: null, takes: null },
  setPaused: { ...SILENT, about: null, takes: null },
  setAsset: { ...SILENT, about: null, takes: null },
  collect: { ...SILENT, about: null, takes: 'nothing' },
  // By owners, whose wallets no service asks to sign.
  setMandate: { ...SILENT, about: null, takes: null },
  closeMandate: { ...SILENT, about: null, takes: null },
  openReputation: { ...SILENT, about: null, agents: ['agent'], takes: 'rent' },

  listPackage: { ...SILENT, about: 'package', deposits: 'funder', takes: 'escrow' },
  formSwarm: { ...TIMED, about: 'package', takes: null },
  assignLeg: { ...TIMED, about: 'package', agents: ['courier'], takes: null },
  // The courier that takes over is counted from then on, as the one that brought the parcel is paid.
  confirmLeg: {
    ...TIMED,
    about: 'package',
    agents: ['courier', 'recipient'],
    paysForLeg: true,
    payees: ['courier'],
    takes: 'nothing',
  },
  settle: { ...SILENT, about: 'package', payees: ['funder'], takes: null },
  cancelPackage: { ...SILENT, about: 'package', payees: ['funder'], takes: 'nothing' },
  reclaimPackage: { ...TIMED, about: 'package', payees: ['funder'], takes: 'nothing' },
  closePackage: { ...SILENT, about: 'package', takes: 'nothing' },

  listTask: { ...SILENT, about: 'task', deposits: 'funder', takes: 'escrow' },
  assignTaskLeg: { ...TIMED, about: 'task', agents: ['agent'], takes: null },
  releaseTaskLeg: { ...SILENT, about: 'task', agents: ['agent'], takes: null },
  confirmTaskLeg: {
    ...TIMED,
    about: 'task',
    agents: ['agent'],
    paysForLeg: true,
    payees: ['agent'],
    takes: 'nothing',
  },
  settleTask: { ...SILENT, about: 'task', payees: ['funder'], takes: null },
  cancelTask: { ...SILENT, about: 'task', payees: ['funder'], takes: 'nothing' },
  reclaimTask: { ...TIMED, about: 'task', payees: ['funder'], takes: 'nothing' },
  closeTask: { ...SILENT, about: 'task', takes: 'nothing' },

  accept: { ...TIMED, about: 'listing', agents: ['courier'], deposits: 'courier', takes: 'stake' },
  vacate: {
    ...TIMED,
    about: 'listing',
    agents: ['courier'],
    paysForLeg: true,
    payees: ['courier'],
    takes: 'nothing',
  },
  claim: { ...TIMED, about: 'listing', agents: ['courier'], takes: 'nothing' },
  dispute: { ...TIMED, about: 'listing', deposits: 'disputer', takes: 'stake' },
  rule: { ...TIMED, about: 'listing', paysForLeg: true, payees: ['worker', 'other', 'fee'], takes: 'nothing' },
} as const satisfies Table;

type NameAbout<Account extends ListingAccount> = {
  [Name in InstructionName]: (typeof INSTRUCTIONS)[Name]['about'] extends Account ? Name : never;
}[InstructionName];

/** The five moves of a leg with terms, of a package or of a digital task. */
export type MoveInstruction = Named<NameAbout<'listing'>>;
/** The instructions about a package. */
export type PackageInstruction = Named<NameAbout<'package'>> | MoveInstruction;
/** The instructions about a digital task. */
export type TaskInstruction = Named<NameAbout<'task'>> | MoveInstruction;

export const isAboutPackage = (instruction: RelayInstruction): instruction is PackageInstruction =>
  isAbout(instruction, 'package');
export const isAboutTask = (instruction: RelayInstruction): instruction is TaskInstruction =>
  isAbout(instruction, 'task');

function isAbout({ name }: RelayInstruction, kind: 'package' | 'task'): boolean {
  const { about } = INSTRUCTIONS[name];
  return about === kind || about === 'listing';
}

/** The account of the package or the digital task that the instruction is about; undefined: it is about none. */
export function listingAccount(instruction: RelayInstruction): Address | undefined {
  const { about } = INSTRUCTIONS[instruction.name];
  return about === null ? undefined : accountsOf(instruction)[about]?.address;
}

/** The accounts of the listings that the instructions are about, each once. */
export function listingAccounts(instructions: readonly RelayInstruction[]): Address[] {
  return [...new Set(instructions.flatMap((instruction) => listingAccount(instruction) ?? []))];
}

/** The agents whose reputation the instructions may have changed. */
export function agentsCounted(instructions: readonly RelayInstruction[]): Address[] {
  return instructions.flatMap((instruction) =>
    INSTRUCTIONS[instruction.name].agents.flatMap((account) => accountsOf(instruction)[account]?.address ?? []),
  );
}

/** By name, which the table has checked. */
function accountsOf({ accounts }: RelayInstruction): Readonly<Record<string, AccountMeta | undefined>> {
  return accounts;
}
