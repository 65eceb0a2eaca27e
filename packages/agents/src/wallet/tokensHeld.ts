import { associatedTokenAddress } from '@legwork/program-client';
import { address, isSolanaError, SOLANA_ERROR__JSON_RPC__INVALID_PARAMS } from '@solana/kit';
import type { GetTokenAccountBalanceApi, Rpc } from '@solana/kit';
import type { PaidToken } from '@legwork/sdk';

/** A wallet's balance of a token, base units; without an account of it, nothing. */
export async function tokensHeld(
  rpc: Rpc<GetTokenAccountBalanceApi>,
  wallet: string,
  { token }: { readonly token: Pick<PaidToken, 'mint'> | undefined },
): Promise<bigint> {
  if (token === undefined) return 0n;
  const account = await associatedTokenAddress(address(wallet), token.mint);
  try {
    const { value } = await rpc.getTokenAccountBalance(account, { commitment: 'confirmed' }).send();
    return BigInt(value.amount);
  } catch (error) {
    // The answer of a node for an account that is not there.
    if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__INVALID_PARAMS)) return 0n;
    throw error;
  }
}
