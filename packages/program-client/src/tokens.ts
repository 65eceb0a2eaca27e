import {
  AccountRole,
  type AccountMeta,
  type Address,
  getU64Encoder,
  type Instruction,
  type ReadonlyUint8Array,
} from '@solana/kit';
import { readTokenAccount } from './accounts.js';
import {
  assetAddress,
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  associatedTokenAddress,
  lockerAddress,
  SYSTEM_PROGRAM_ADDRESS,
  TOKEN_PROGRAM_ADDRESS,
  vaultAddress,
} from './addresses.js';
import { decodeRelayInstruction, LISTS_FIRST, type RelayInstruction } from './decodeRelayInstruction.js';
import { INSTRUCTIONS, listingAccount } from './instructions.js';
import { readReason } from './ruling.js';

/** SOL, of which amounts are lamports; it has no account. */
export const SOL_ASSET = 0;

/** A token that listings can be paid in. */
export interface TokenAsset {
  /** 1 to 255. */
  readonly number: number;
  readonly mint: Address;
}

const TRANSFER = 3;

/** Tokens, base units, from a wallet's associated token account to another wallet's, which must exist. */
export async function transferTokens(
  from: AccountMeta,
  to: Address,
  mint: Address,
  amount: bigint,
): Promise<Instruction> {
  const accounts = [
    { address: await associatedTokenAddress(from.address, mint), role: AccountRole.WRITABLE },
    { address: await associatedTokenAddress(to, mint), role: AccountRole.WRITABLE },
    from,
  ];
  return {
    programAddress: TOKEN_PROGRAM_ADDRESS,
    accounts,
    data: Uint8Array.of(TRANSFER, ...getU64Encoder().encode(amount)),
  };
}

/** Creates the associated token account of a wallet, unless there is one; `payer` pays its rent. */
export async function createAssociatedToken(payer: AccountMeta, wallet: Address, mint: Address): Promise<Instruction> {
  return {
    programAddress: ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
    accounts: [
      payer,
      { address: await associatedTokenAddress(wallet, mint), role: AccountRole.WRITABLE },
      { address: wallet, role: AccountRole.READONLY },
      { address: mint, role: AccountRole.READONLY },
      { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY },
      { address: TOKEN_PROGRAM_ADDRESS, role: AccountRole.READONLY },
    ],
    data: Uint8Array.of(1),
  };
}

/** The instruction without the accounts of tokens, as if it were about SOL. */
export function withoutTokens(instruction: Instruction, { accounts: named, tokens }: RelayInstruction): Instruction {
  if (tokens === undefined) return instruction;
  const { accounts = [] } = instruction;
  const own = Object.keys(named).length;
  const at = accounts.findIndex((account, index) => index >= own && account.address === TOKEN_PROGRAM_ADDRESS);
  // Token program, asset and the vault's account come before those of the parties.
  const end = at + 3 + tokens.parties.length;
  return { ...instruction, accounts: [...accounts.slice(0, at), ...accounts.slice(end)] };
}

/** The details that an instruction does not tell by itself when it moves tokens. */
export interface TokenDetails {
  /** Wallets whose associated token account cannot receive: their locker's is paid. */
  readonly locked?: ReadonlySet<Address>;
}

/** An instruction that gives stakes back, with the workers that wait for one: the couriers, or the agents, of accepted legs, in index order. */
export type Returning = Instruction & { readonly waiting?: readonly Address[] };

/** The wallets that an instruction pays, in the order of their token accounts; none where it moves no tokens. */
export function paidBy(programAddress: Address, { waiting = [], ...instruction }: Returning): Address[] {
  const decoded = decodeRelayInstruction(programAddress, instruction);
  if (!decoded) return [];
  const named: Readonly<Record<string, AccountMeta | undefined>> = decoded.accounts;
  return [...waiting, ...INSTRUCTIONS[decoded.name].payees.flatMap((name) => named[name]?.address ?? [])];
}

/**
 * An instruction about a listing that is paid in a token: that about one in lamports, with the accounts of tokens. Rule P-109.
 *
 * Budgets and stakes come from the payer's associated token account. Instructions that move no tokens are as they were.
 *
 * @throws TypeError when the instruction is none of the program
 */
export async function inTokens(
  programAddress: Address,
  instruction: Returning,
  asset: TokenAsset,
  details: TokenDetails = {},
): Promise<Instruction> {
  const decoded = decodeRelayInstruction(programAddress, instruction);
  if (!decoded) throw new TypeError('Only an instruction of the program can be paid in tokens');
  const { deposits, payees } = INSTRUCTIONS[decoded.name];
  const listing = listingAccount(decoded);
  if (listing === undefined || (deposits === null && payees.length === 0)) return instruction;
  const named: Readonly<Record<string, AccountMeta | undefined>> = decoded.accounts;
  const walletsOf = (names: readonly string[]) => names.flatMap((name) => named[name]?.address ?? []);
  const vault = await vaultAddress(programAddress, listing);
  const vaultTokens = await associatedTokenAddress(vault, asset.mint);
  const parties: Address[] = [];
  for (const wallet of walletsOf(deposits === null ? [] : [deposits])) {
    parties.push(await associatedTokenAddress(wallet, asset.mint));
  }
  for (const wallet of paidBy(programAddress, instruction)) {
    parties.push(await associatedTokenAddress(wallet, asset.mint));
    const locker = details.locked?.has(wallet) ? await lockerAddress(programAddress, wallet) : undefined;
    // Any account stands for the locker's that is not needed; this one is there already.
    parties.push(locker === undefined ? vaultTokens : await associatedTokenAddress(locker, asset.mint));
  }
  const tokens: AccountMeta[] = [
    { address: TOKEN_PROGRAM_ADDRESS, role: AccountRole.READONLY },
    { address: await assetAddress(programAddress, asset.number), role: AccountRole.READONLY },
    ...[vaultTokens, ...parties].map((account) => ({ address: account, role: AccountRole.WRITABLE })),
  ];
  const accounts = instruction.accounts ?? [];
  const at = LISTS_FIRST.has(decoded.name) ? accounts.length : Object.keys(decoded.accounts).length;
  const { waiting: _, ...plain } = instruction;
  return { ...plain, accounts: [...accounts.slice(0, at), ...tokens, ...accounts.slice(at)] };
}

/** Reads accounts of the token program, in their order; undefined where there is none. */
export type ReadTokenAccounts = (accounts: readonly Address[]) => Promise<readonly (ReadonlyUint8Array | undefined)[]>;

/**
 * Instructions about a listing that is paid in a token, with the accounts of tokens, behind the creation of those that are missing, whose
 * rent the payer of the fee pays. Whoever could not receive is paid to its locker. Rule P-111.
 */
export async function paidInToken(
  programAddress: Address,
  payer: Address,
  asset: TokenAsset,
  instructions: readonly Returning[],
  read: ReadTokenAccounts,
): Promise<Instruction[]> {
  const vaults = (await Promise.all(instructions.map((one) => fundedBy(programAddress, one)))).flat();
  const payees = [...new Set(instructions.flatMap((one) => paidBy(programAddress, one)))];
  const states = await statesOf([...vaults, ...payees], asset.mint, read);
  const locked = new Set(payees.filter((wallet) => states.get(wallet) === 'locked'));
  const lockers = await Promise.all([...locked].map((wallet) => lockerAddress(programAddress, wallet)));
  const inLockers = await statesOf(lockers, asset.mint, read);
  const missing = [...states, ...inLockers].flatMap(([wallet, state]) => (state === 'missing' ? [wallet] : []));
  const by = { address: payer, role: AccountRole.WRITABLE_SIGNER };
  const creations = await Promise.all(missing.map((wallet) => createAssociatedToken(by, wallet, asset.mint)));
  // The reason beside a ruling pays nobody.
  const paying = async (one: Returning): Promise<Instruction> =>
    readReason(one) ? one : inTokens(programAddress, one, asset, { locked });
  const moves = instructions.map(paying);
  return [...creations, ...(await Promise.all(moves))];
}

/** The vault that an instruction pays a budget or a stake into. */
async function fundedBy(programAddress: Address, instruction: Instruction): Promise<Address[]> {
  const decoded = decodeRelayInstruction(programAddress, instruction);
  const listing = decoded && listingAccount(decoded);
  if (decoded === undefined || listing === undefined || INSTRUCTIONS[decoded.name].deposits === null) return [];
  return [await vaultAddress(programAddress, listing)];
}

type State = 'missing' | 'ready' | 'locked';

/** The states of the owners' associated token accounts: only a ready one can receive. */
async function statesOf(
  owners: readonly Address[],
  mint: Address,
  read: ReadTokenAccounts,
): Promise<Map<Address, State>> {
  if (owners.length === 0) return new Map();
  const accounts = await read(await Promise.all(owners.map((owner) => associatedTokenAddress(owner, mint))));
  return new Map(
    owners.map((owner, index): [Address, State] => {
      const data = accounts[index];
      if (data === undefined) return [owner, 'missing'];
      const found = readTokenAccount(data);
      return [owner, found.owner === owner && found.isOpen ? 'ready' : 'locked'];
    }),
  );
}
