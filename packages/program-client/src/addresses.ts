import { address, type ReadonlyUint8Array } from '@solana/kit';
import {
  findAssetPda,
  findConfigPda,
  findLegPda,
  findLockerPda,
  findMandatePda,
  findPackagePda,
  findReputationPda,
  findSwarmPda,
  findTaskLegPda,
  findTaskPda,
  findVaultPda,
  type MandateSeeds,
} from './generated/index.js';
import { getAddressEncoder, getProgramDerivedAddress, type Address, type ProgramDerivedAddress } from './keys.js';

/** The upgradeable loader, which owns the program and its ProgramData account. */
export const UPGRADEABLE_LOADER_ADDRESS: Address = address('BPFLoaderUpgradeab1e11111111111111111111111');

export const SYSTEM_PROGRAM_ADDRESS = address('11111111111111111111111111111111');
export const TOKEN_PROGRAM_ADDRESS = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const ASSOCIATED_TOKEN_PROGRAM_ADDRESS = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

/** Length of a package's or task's id in bytes: a UUID. */
export const PACKAGE_ID_BYTES = 16;
export const TASK_ID_BYTES = 16;

function requireLength(id: ReadonlyUint8Array, what: 'package' | 'task', length: number): void {
  if (id.length !== length) throw new RangeError(`A ${what} id has ${length} bytes, not ${id.length}`);
}

/**
 * The addresses that were worked out last: deriving one takes 0.07 ms, and following a listing needs the same ones several times.
 * Pages load this module, too: a library for it would weigh more than the rest.
 */
const known = new Map<string, Promise<Address>>();
const MOST_KNOWN = 10_000;

function remembered(of: string, find: () => Promise<ProgramDerivedAddress>): Promise<Address> {
  const before = known.get(of);
  if (before !== undefined) return before;
  const found = find().then(([pda]) => pda);
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size >= MOST_KNOWN) known.delete(oldest);
  known.set(of, found);
  return found;
}

/** Address of the program's Config account. */
export const configAddress = (programAddress: Address): Promise<Address> =>
  remembered(`config ${programAddress}`, () => findConfigPda({ programAddress }));

/**
 * Address of a package.
 *
 * @param packageId - the 16 bytes of the package's UUID
 * @throws RangeError when the id has another length
 */
export async function packageAddress(
  programAddress: Address,
  shipper: Address,
  packageId: ReadonlyUint8Array,
): Promise<Address> {
  requireLength(packageId, 'package', PACKAGE_ID_BYTES);
  const [pda] = await findPackagePda({ shipper, packageId }, { programAddress });
  return pda;
}

/**
 * Address of the vault that holds the budget of a package or task.
 *
 * @param listing - the address of the package or task
 */
export const vaultAddress = (programAddress: Address, listing: Address): Promise<Address> =>
  remembered(`vault ${programAddress} ${listing}`, () => findVaultPda({ listing }, { programAddress }));

/** Address of a package's swarm; every formation of the package has the same one. */
export const swarmAddress = (programAddress: Address, packageAccount: Address): Promise<Address> =>
  remembered(`swarm ${programAddress} ${packageAccount}`, () =>
    findSwarmPda({ package: packageAccount }, { programAddress }),
  );

/** Address of the leg with this index (0 is the first) in a swarm. */
export const legAddress = (programAddress: Address, swarm: Address, index: number): Promise<Address> =>
  remembered(`leg ${programAddress} ${swarm} ${index}`, () => findLegPda({ swarm, index }, { programAddress }));

/**
 * Address of a digital task.
 *
 * @param taskId - the 16 bytes of the task's UUID
 * @throws RangeError when the id has another length
 */
export async function taskAddress(
  programAddress: Address,
  poster: Address,
  taskId: ReadonlyUint8Array,
): Promise<Address> {
  requireLength(taskId, 'task', TASK_ID_BYTES);
  const [pda] = await findTaskPda({ poster, taskId }, { programAddress });
  return pda;
}

/** Address of the leg with this index (0 is the first) of a task. It is the same no matter which agent has the leg. */
export const taskLegAddress = (programAddress: Address, task: Address, index: number): Promise<Address> =>
  remembered(`task leg ${programAddress} ${task} ${index}`, () => findTaskLegPda({ task, index }, { programAddress }));

/** Address of an agent's reputation, which legs of packages and of tasks count for alike. */
export const reputationAddress = (programAddress: Address, agent: Address): Promise<Address> =>
  remembered(`reputation ${programAddress} ${agent}`, () => findReputationPda({ agent }, { programAddress }));

/** Address of the ProgramData account, which names the program's upgrade authority. */
export async function programDataAddress(programAddress: Address): Promise<Address> {
  const [pda] = await getProgramDerivedAddress({
    programAddress: UPGRADEABLE_LOADER_ADDRESS,
    seeds: [getAddressEncoder().encode(programAddress)],
  });
  return pda;
}

/** Address of an asset's account. */
export async function assetAddress(programAddress: Address, number: number): Promise<Address> {
  const [pda] = await findAssetPda({ number }, { programAddress });
  return pda;
}

/** Owns the token accounts where payments wait that a wallet could not receive. */
export async function lockerAddress(programAddress: Address, wallet: Address): Promise<Address> {
  const [pda] = await findLockerPda({ wallet }, { programAddress });
  return pda;
}

/**
 * Address of a mandate, where lamports come to fund it; tokens come to the associated token account of this address.
 *
 * @param seeds the owner, the delegate, and the asset: 0 is SOL, else the number of an asset
 */
export async function mandateAddress(programAddress: Address, seeds: MandateSeeds): Promise<Address> {
  const [pda] = await findMandatePda(seeds, { programAddress });
  return pda;
}

/** The one token account of a wallet that the program pays to, and of a vault that it pays from. */
export async function associatedTokenAddress(wallet: Address, mint: Address): Promise<Address> {
  const encoder = getAddressEncoder();
  const [pda] = await getProgramDerivedAddress({
    programAddress: ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
    seeds: [encoder.encode(wallet), encoder.encode(TOKEN_PROGRAM_ADDRESS), encoder.encode(mint)],
  });
  return pda;
}
