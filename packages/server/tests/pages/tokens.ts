import { associatedTokenAddress } from '@legwork/program-client';
import { address } from '@solana/kit';
import type { Page } from 'playwright-core';
import { leaveWith } from '../fees/scene.js';
import type { Party, TestService } from '../support/service.js';

/** The balance of an account in test USDC, base units; undefined: it has no token account. */
export async function usdcOf(service: TestService, owner: string): Promise<bigint | undefined> {
  const { client } = await service.party(0);
  const mint = (await client.getConfig()).assets.find(({ asset }) => asset === 'usdc')?.mint ?? '';
  const at = await associatedTokenAddress(address(owner), address(mint));
  const { value } = await service.rpc.getAccountInfo(at, { encoding: 'jsonParsed' }).send();
  if (value === null || !('parsed' in value.data)) return undefined;
  return BigInt((value.data.parsed.info as { tokenAmount: { amount: string } }).tokenAmount.amount);
}

/** A wallet with 100 USDC and so much SOL. */
export async function withTokens(service: TestService, lamports: bigint): Promise<Party> {
  const party = await service.party(0);
  await party.client.registerAgent({ agentPubkey: party.pubkey });
  await leaveWith(service, party, lamports);
  return party;
}

/** Where pictures of the pages go that somebody wants to look at. */
const SHOTS = process.env['LEGWORK_SHOTS'];

export const shoot = async (page: Page, name: string) =>
  SHOTS === undefined ? undefined : page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
