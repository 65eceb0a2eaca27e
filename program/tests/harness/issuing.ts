import { associatedTokenAddress, createAssociatedToken, TOKEN_PROGRAM_ADDRESS } from '@legwork/program-client';
import { getCreateAccountInstruction } from '@solana-program/system';
import { AccountRole, type AccountSignerMeta, type Address, type Instruction, type KeyPairSigner } from '@solana/kit';
import { tokenInstruction } from '../../../packages/ledger/tests/support/tokens.js';

const [MINT_TO, FREEZE, THAW, INITIALIZE_MINT] = [7, 10, 11, 20];
const MINT_BYTES = 82;
const RENT_OF_MINT = 1_461_600n;

const signing = (signer: KeyPairSigner): AccountSignerMeta => ({
  address: signer.address,
  role: AccountRole.WRITABLE_SIGNER,
  signer,
});
const writable = (address: Address) => ({ address, role: AccountRole.WRITABLE });

/** A mint of six decimals whose issuer can mint and freeze. */
export function newMint(issuer: KeyPairSigner, mint: KeyPairSigner): Instruction[] {
  const programAddress = TOKEN_PROGRAM_ADDRESS;
  const made = { payer: issuer, newAccount: mint, lamports: RENT_OF_MINT, space: MINT_BYTES, programAddress };
  const roles = [issuer.address, 1, issuer.address] as const;
  return [
    getCreateAccountInstruction(made),
    tokenInstruction(programAddress, [writable(mint.address)], INITIALIZE_MINT, 6, ...roles),
  ];
}

/** The wallet's associated token account, and so many tokens more in it; the issuer pays its rent. */
export async function newTokens(issuer: KeyPairSigner, mint: Address, wallet: Address, amount: bigint) {
  const create = await createAssociatedToken(signing(issuer), wallet, mint);
  if (amount === 0n) return [create];
  const accounts = [writable(mint), writable(await associatedTokenAddress(wallet, mint)), signing(issuer)];
  return [create, tokenInstruction(TOKEN_PROGRAM_ADDRESS, accounts, MINT_TO, amount)];
}

/** Freezes a token account, or thaws it. */
export function setFrozen(issuer: KeyPairSigner, mint: Address, account: Address, isFrozen: boolean): Instruction {
  const accounts = [writable(account), { address: mint, role: AccountRole.READONLY }, signing(issuer)];
  return tokenInstruction(TOKEN_PROGRAM_ADDRESS, accounts, isFrozen ? FREEZE : THAW);
}
