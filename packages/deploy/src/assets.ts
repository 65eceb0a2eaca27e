import {
  assetAddress,
  configAddress,
  fetchConfig,
  fetchMaybeAsset,
  getSetAssetInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AccountRole,
  type Address,
  createSolanaRpc,
  getAddressEncoder,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { Cluster, DeployError } from './cluster.js';

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
  /** May make more of it. */
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
  const { programAddress, authority, mint } = usdc;
  const config = await configAddress(programAddress);
  const { data: settings } = await fetchConfig(cluster.rpc, config, { commitment: 'confirmed' });
  // Somebody else names its assets by now.
  if (settings.authority !== authority.address) return;
  const asset = await assetAddress(programAddress, NUMBER);
  const found = await fetchMaybeAsset(cluster.rpc, asset, { commitment: 'confirmed' });
  if (found.exists) return;
  if ((await cluster.dataOf(mint.address)) === undefined) {
    await cluster.run(authority, await makeMint(cluster, usdc));
  }
  const made = { number: NUMBER, mint: mint.address, isOpen: true, minAmount: MIN_AMOUNT };
  await cluster.run(authority, [await settingOf(programAddress, authority, made)]);
}

/** A token that listings can be paid in. */
export interface AssetToSet {
  /** 1 to 255. */
  readonly number: number;
  /** Of the classic Token program; an asset keeps its mint. */
  readonly mint: Address;
  /** True if new listings can be paid in it. */
  readonly isOpen: boolean;
  /** The least budget and stake, base units. */
  readonly minAmount: bigint;
}

async function settingOf(programAddress: Address, authority: KeyPairSigner, asset: AssetToSet): Promise<Instruction> {
  const accounts = {
    authority,
    config: await configAddress(programAddress),
    asset: await assetAddress(programAddress, asset.number),
  };
  return getSetAssetInstruction({ ...accounts, ...asset }, { programAddress });
}

/**
 * Makes a token an asset of the program, or opens, closes or changes one. Rule P-108. Safe to repeat.
 *
 * @throws DeployError when another key is the authority, or the cluster refuses
 */
export async function setAsset(
  { rpcUrl, programAddress, authority }: { rpcUrl: string; programAddress: Address; authority: KeyPairSigner },
  asset: AssetToSet,
): Promise<{ account: Address; signature: string }> {
  const cluster = new Cluster(createSolanaRpc(rpcUrl));
  const config = await configAddress(programAddress);
  const { data: settings } = await fetchConfig(cluster.rpc, config, { commitment: 'confirmed' });
  if (settings.authority !== authority.address) {
    throw new DeployError(
      `The program's authority is ${settings.authority}, not ${authority.address}; sign with that key.`,
    );
  }
  const signature = await cluster.run(authority, [await settingOf(programAddress, authority, asset)]);
  return { account: await assetAddress(programAddress, asset.number), signature };
}

async function makeMint(cluster: Cluster, { authority, coordinator, mint }: TestUsdc): Promise<Instruction[]> {
  const lamports = await cluster.rpc.getMinimumBalanceForRentExemption(BigInt(MINT_BYTES)).send();
  const create = getCreateAccountInstruction({
    payer: authority,
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
