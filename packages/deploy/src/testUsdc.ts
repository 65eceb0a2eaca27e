import {
  assetAddress,
  configAddress,
  fetchConfig,
  fetchMaybeAsset,
  getSetAssetInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import { getCreateAccountInstruction } from '@solana-program/system';
import { AccountRole, type Address, getAddressEncoder, type Instruction, type KeyPairSigner } from '@solana/kit';
import type { Cluster } from './cluster.js';

/** Its number among the assets of the program. */
const NUMBER = 1;
const DECIMALS = 6;
/** A hundredth of one, base units: the least budget and stake. */
const MIN_AMOUNT = 10_000n;
const MINT_BYTES = 82;
const INITIALIZE_MINT = 20;

interface TestUsdc {
  readonly programAddress: Address;
  readonly authority: KeyPairSigner;
  /** May make more of it, and pays. */
  readonly coordinator: KeyPairSigner;
  /** Its address becomes the mint's. */
  readonly mint: KeyPairSigner;
}

/**
 * Makes a token that stands for USDC where there is none, and an asset of it. Nobody can freeze it. Safe to repeat.
 *
 * @throws DeployError when the cluster refuses
 */
export async function testUsdcOn(cluster: Cluster, usdc: TestUsdc): Promise<void> {
  const { programAddress, authority, coordinator, mint } = usdc;
  const config = await configAddress(programAddress);
  const { data: settings } = await fetchConfig(cluster.rpc, config, { commitment: 'confirmed' });
  // Somebody else names its assets by now.
  if (settings.authority !== authority.address) return;
  const asset = await assetAddress(programAddress, NUMBER);
  const found = await fetchMaybeAsset(cluster.rpc, asset, { commitment: 'confirmed' });
  if (found.exists) return;
  if ((await cluster.dataOf(mint.address)) === undefined) {
    await cluster.run(coordinator, await makeMint(cluster, usdc));
  }
  const instruction = getSetAssetInstruction(
    { authority, config, asset, mint: mint.address, number: NUMBER, isOpen: true, minAmount: MIN_AMOUNT },
    { programAddress },
  );
  await cluster.run(authority, [instruction]);
}

async function makeMint(cluster: Cluster, { coordinator, mint }: TestUsdc): Promise<Instruction[]> {
  const lamports = await cluster.rpc.getMinimumBalanceForRentExemption(BigInt(MINT_BYTES)).send();
  const create = getCreateAccountInstruction({
    payer: coordinator,
    newAccount: mint,
    lamports,
    space: MINT_BYTES,
    programAddress: TOKEN_PROGRAM_ADDRESS,
  });
  const initialize: Instruction = {
    programAddress: TOKEN_PROGRAM_ADDRESS,
    accounts: [{ address: mint.address, role: AccountRole.WRITABLE }],
    // No freeze authority.
    data: Uint8Array.of(INITIALIZE_MINT, DECIMALS, ...getAddressEncoder().encode(coordinator.address), 0),
  };
  return [create, initialize];
}
