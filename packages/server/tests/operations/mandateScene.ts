import {
  ANY_ARBITER,
  associatedTokenAddress,
  createAssociatedToken,
  mandateAddress,
  PERMITS,
  setMandate,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import type { DigitalTaskDraft } from '@legwork/sdk';
import { AccountRole, type Address, address, getU64Encoder, type Instruction } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import type { Party, TestService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';

/** A whole USDC, in its base units. */
export const ONE = 1_000_000n;
const DAY = 86_400;
/** The lamports in a new mandate for rents; in one in SOL for budgets, too. */
const LAMPORTS = 100_000_000n;

/** Tokens from one wallet's account to another's. */
async function transfer(from: Party, to: Address, mint: Address, amount: bigint): Promise<Instruction> {
  const accounts = [
    { address: await associatedTokenAddress(from.signer.address, mint), role: AccountRole.WRITABLE },
    { address: await associatedTokenAddress(to, mint), role: AccountRole.WRITABLE },
    { address: from.signer.address, role: AccountRole.READONLY_SIGNER, signer: from.signer },
  ];
  return { programAddress: TOKEN_PROGRAM_ADDRESS, accounts, data: Uint8Array.of(3, ...getU64Encoder().encode(amount)) };
}

/** The balance at an address: lamports, and units of the token in its associated token account. */
export interface Held {
  readonly lamports: bigint;
  readonly units: bigint;
}

/** A mandate, and what its parties have. */
export interface Mandated {
  readonly owner: Party;
  readonly delegate: Party;
  readonly at: Address;
  readonly program: Address;
  /** Undefined: it is in SOL. */
  readonly token: { readonly number: number; readonly mint: Address } | undefined;
  /** Of the mandate, or of another address. */
  readonly held: (of?: string) => Promise<Held>;
}

/** An owner who lets a delegate list for 5 USDC a day of 20 that it put there, or in SOL for 0.05 of 0.1. */
export async function mandated(
  current: TestService,
  asset: 'usdc' | 'sol' = 'usdc',
  parties: Partial<Pick<Mandated, 'owner' | 'delegate'>> = {},
): Promise<Mandated> {
  const { owner = await current.party(1), delegate = await current.party(1) } = parties;
  await owner.client.registerAgent({ agentPubkey: owner.pubkey });
  const { assets, programId } = await owner.client.getConfig();
  const usdc = assets.find((one) => one.asset === 'usdc');
  if (usdc?.mint == null) throw new Error('the service lists nothing in usdc');
  const [program, mint] = [address(programId), address(usdc.mint)];
  const token = asset === 'sol' ? undefined : { number: usdc.number, mint };
  const limits = {
    permits: PERMITS.packages | PERMITS.tasks,
    cap: token ? 5n * ONE : 50_000_000n,
    period: DAY,
    expiresAt: 0n,
    maxAhead: 7 * DAY,
    arbiter: ANY_ARBITER,
  };
  const between = { owner: owner.signer.address, delegate: delegate.signer.address };
  const at = await mandateAddress(program, { ...between, asset: token?.number ?? 0 });
  const payer = { address: owner.signer.address, role: AccountRole.WRITABLE_SIGNER, signer: owner.signer };
  const set = { owner: owner.signer, delegate: delegate.signer.address, asset: token };
  const instructions = [
    await setMandate(program, set, limits),
    getTransferSolInstruction({ source: owner.signer, destination: at, amount: LAMPORTS }),
    ...(token ? [await createAssociatedToken(payer, at, mint), await transfer(owner, at, mint, 20n * ONE)] : []),
  ];
  await land(current, await signed(current, [owner.signer], instructions));
  const held = async (of: string = at): Promise<Held> => {
    const { value } = await current.rpc.getBalance(address(of), { commitment: 'confirmed' }).send();
    if (token === undefined) return { lamports: value, units: 0n };
    const purse = await associatedTokenAddress(address(of), mint);
    const found = await current.rpc.getTokenAccountBalance(purse, { commitment: 'confirmed' }).send();
    return { lamports: value, units: BigInt(found.value.amount) };
  };
  return { owner, delegate, at, program, token, held };
}

/** A task of one leg that the mandate of this owner pays for. */
export const goal = (owner: Party, maxBudget: bigint, asset: 'usdc' | 'sol' = 'usdc'): DigitalTaskDraft => ({
  title: 'A summary',
  description: 'Summarise the feedback.',
  legs: [{ instruction: 'summarise it' }],
  maxBudget: String(maxBudget),
  asset,
  terms: 'plain',
  mandateOwnerPubkey: owner.pubkey,
});
