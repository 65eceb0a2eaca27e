import { paidInToken, type Returning, TOKEN_PROGRAM_ADDRESS } from '@legwork/program-client';
import { ask } from '@legwork/program-client/history';
import { type Address, getBase64Encoder, type Instruction } from '@solana/kit';
import type { ListedAsset } from './assets.js';
import type { Ledger } from './ledger.js';

/**
 * Instructions about a listing as they pay in its asset, with what that takes where it is a token. Rule M-93.
 *
 * @throws LegworkError `ledger_unavailable`
 */
export async function paidIn(
  { rpc, programAddress }: Pick<Ledger, 'rpc' | 'programAddress'>,
  payer: Address,
  { token, number }: ListedAsset,
  instructions: readonly Returning[],
): Promise<Instruction[]> {
  if (token === null) return [...instructions];
  return paidInToken(programAddress, payer, { number, mint: token.mint }, instructions, async (accounts) => {
    const { value } = await ask(
      rpc.getMultipleAccounts([...accounts], { commitment: 'confirmed', encoding: 'base64' }),
    );
    return value.map((found) =>
      found?.owner === TOKEN_PROGRAM_ADDRESS ? getBase64Encoder().encode(found.data[0]) : undefined,
    );
  });
}
