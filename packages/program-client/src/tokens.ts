import { AccountRole, type AccountMeta, type Address, address, type Instruction } from '@solana/kit';
import {
  assetAddress,
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  associatedTokenAddress,
  lockerAddress,
  TOKEN_PROGRAM_ADDRESS,
  vaultAddress,
} from './addresses.js';
import { decodeRelayInstruction, LISTS_FIRST } from './decodeRelayInstruction.js';
import { INSTRUCTIONS, listingAccount } from './instructions.js';

const SYSTEM_PROGRAM_ADDRESS = address('11111111111111111111111111111111');

/** SOL, of which amounts are lamports; it has no account. */
export const SOL_ASSET = 0;

/** A token that listings can be paid in. */
export interface TokenAsset {
  /** 1 to 255. */
  readonly number: number;
  readonly mint: Address;
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

/** What is not told by an instruction itself when it is to move tokens. */
export interface TokenDetails {
  /** Wallets whose associated token account cannot receive: their locker's is paid. */
  readonly locked?: ReadonlySet<Address>;
  /** A reclaim: the couriers, or the agent, of accepted legs, in index order. */
  readonly waiting?: readonly Address[];
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
  instruction: Instruction,
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
  for (const wallet of [...(details.waiting ?? []), ...walletsOf(payees)]) {
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
  return { ...instruction, accounts: [...accounts.slice(0, at), ...tokens, ...accounts.slice(at)] };
}
