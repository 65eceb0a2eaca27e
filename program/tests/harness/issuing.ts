import { associatedTokenAddress, createAssociatedToken, TOKEN_PROGRAM_ADDRESS } from '@legwork/program-client';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AccountRole,
  type AccountSignerMeta,
  type Address,
  getAddressEncoder,
  getU64Encoder,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';

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
  const authority = getAddressEncoder().encode(issuer.address);
  const space = getCreateAccountInstruction({
    payer: issuer,
    newAccount: mint,
    lamports: RENT_OF_MINT,
    space: MINT_BYTES,
    programAddress: TOKEN_PROGRAM_ADDRESS,
  });
  const data = Uint8Array.of(INITIALIZE_MINT, 6, ...authority, 1, ...authority);
  return [space, { programAddress: TOKEN_PROGRAM_ADDRESS, accounts: [writable(mint.address)], data }];
}

/** The wallet's associated token account, and so many tokens more in it; the issuer pays its rent. */
export async function newTokens(issuer: KeyPairSigner, mint: Address, wallet: Address, amount: bigint) {
  const account = await associatedTokenAddress(wallet, mint);
  const instructions = [await createAssociatedToken(signing(issuer), wallet, mint)];
  if (amount > 0n) {
    const data = Uint8Array.of(MINT_TO, ...getU64Encoder().encode(amount));
    const accounts = [writable(mint), writable(account), signing(issuer)];
    instructions.push({ programAddress: TOKEN_PROGRAM_ADDRESS, accounts, data });
  }
  return instructions;
}

/** Freezes a token account, or thaws it. */
export function setFrozen(issuer: KeyPairSigner, mint: Address, account: Address, isFrozen: boolean): Instruction {
  const accounts = [writable(account), { address: mint, role: AccountRole.READONLY }, signing(issuer)];
  return { programAddress: TOKEN_PROGRAM_ADDRESS, accounts, data: Uint8Array.of(isFrozen ? FREEZE : THAW) };
}
