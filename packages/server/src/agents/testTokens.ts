import { associatedTokenAddress, createAssociatedToken, TOKEN_PROGRAM_ADDRESS } from '@legwork/program-client';
import { toLamports } from '@legwork/protocol/contract';
import {
  AccountRole,
  address,
  type Address,
  getBase64EncodedWireTransaction,
  getU64Encoder,
  type Instruction,
  signTransaction,
} from '@solana/kit';
import type { AppContext } from '../context.js';
import { compileMessage } from '../ledger/compile.js';
import type { Ledger } from '../ledger/ledger.js';
import { decodeWalletTransaction, submitAndConfirm } from '../ledger/submitTransaction.js';

/** So many whole tokens come with an airdrop. */
const TEST_TOKENS = 100n;

/** Gives a wallet tokens of each asset that is for trials. A gift that fails is none: the registration stands. Rule M-95. */
export async function giveTestTokens({ ledger, log }: AppContext, pubkey: string) {
  const given = [];
  for (const asset of ledger.assets.values()) {
    if (asset.token?.isOurs !== true) continue;
    const amount = toLamports(TEST_TOKENS * 10n ** BigInt(asset.decimals));
    try {
      const signature = await mintTo(ledger, asset.token.mint, address(pubkey), amount);
      given.push({ asset: asset.asset, decimals: asset.decimals, amount, signature });
    } catch (error) {
      log.warn({ err: error, agent: pubkey, asset: asset.asset }, 'test tokens were not given');
    }
  }
  return given;
}

const MINT_TO = 7;

/**
 * Makes new tokens for a wallet, in its associated token account, which the coordinator pays for.
 *
 * @returns the signature
 * @throws LegworkError `transaction_failed`, `not_confirmed_on_chain`, `ledger_unavailable`
 */
async function mintTo(ledger: Ledger, mint: Address, wallet: Address, amount: bigint): Promise<string> {
  const { coordinator, blockhashes } = ledger;
  const payer = { address: coordinator.address, role: AccountRole.WRITABLE_SIGNER };
  const minting: Instruction = {
    programAddress: TOKEN_PROGRAM_ADDRESS,
    accounts: [
      { address: mint, role: AccountRole.WRITABLE },
      { address: await associatedTokenAddress(wallet, mint), role: AccountRole.WRITABLE },
      { address: coordinator.address, role: AccountRole.READONLY_SIGNER },
    ],
    data: Uint8Array.of(MINT_TO, ...getU64Encoder().encode(amount)),
  };
  const instructions = [await createAssociatedToken(payer, wallet, mint), minting];
  const message = compileMessage(coordinator.address, await blockhashes.latest(), instructions);
  const signed = await signTransaction([coordinator.keyPair], message);
  const transaction = decodeWalletTransaction(ledger, getBase64EncodedWireTransaction(signed));
  return submitAndConfirm(ledger, transaction);
}
