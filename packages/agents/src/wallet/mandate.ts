import {
  fetchMaybeMandate,
  getMandateSize,
  type Mandate,
  mandateAddress,
  mandateLeft,
  rentMinimum,
  SOL_ASSET,
} from '@legwork/program-client';
import type { PaidIn } from '@legwork/sdk';
import { address } from '@solana/kit';
import type { Address, GetAccountInfoApi, GetBalanceApi, GetTokenAccountBalanceApi, Rpc } from '@solana/kit';
import { tokensHeld } from './tokensHeld.js';

/** A mandate as the ledger has it now; amounts in base units of its asset. */
export interface MandateNow {
  readonly at: Address;
  /** Undefined: its owner gave none, or has ended it. */
  readonly mandate: Mandate | undefined;
  /** Its balance; of SOL above the rent of its own account. */
  readonly held: bigint;
  /** The amount that can still be listed. */
  readonly left: bigint;
}

/** Reads the mandate that an owner gave a delegate in an asset. */
export async function readMandate(
  rpc: Rpc<GetAccountInfoApi & GetBalanceApi & GetTokenAccountBalanceApi>,
  programId: string,
  { owner, delegate, of }: { readonly owner: string; readonly delegate: string; readonly of: Pick<PaidIn, 'token'> },
): Promise<MandateNow> {
  const program = address(programId);
  const seeds = { owner: address(owner), delegate: address(delegate), asset: of.token?.number ?? SOL_ASSET };
  const at = await mandateAddress(program, seeds);
  const account = await fetchMaybeMandate(rpc, at, { commitment: 'confirmed' });
  const mandate = account.exists && account.programAddress === program ? account.data : undefined;
  const { value } = await rpc.getBalance(at, { commitment: 'confirmed' }).send();
  const rent = rentMinimum(getMandateSize());
  const held = of.token === undefined ? (value > rent ? value - rent : 0n) : await tokensHeld(rpc, at, of);
  const left = mandate === undefined ? 0n : mandateLeft(mandate, held, BigInt(Math.floor(Date.now() / 1000)));
  return { at, mandate, held, left };
}
