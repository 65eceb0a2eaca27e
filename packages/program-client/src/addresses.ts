import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import {
  findConfigPda,
  findLegPda,
  findPackagePda,
  findReputationPda,
  findSwarmPda,
  findVaultPda,
} from './generated/index.js';

/** The upgradeable loader, which owns the program and its ProgramData account. */
export const UPGRADEABLE_LOADER_ADDRESS: Address = address('BPFLoaderUpgradeab1e11111111111111111111111');

/** Length of a package id in bytes: a UUID. */
export const PACKAGE_ID_BYTES = 16;

/** Address of the program's Config account. */
export async function configAddress(programAddress: Address): Promise<Address> {
  const [pda] = await findConfigPda({ programAddress });
  return pda;
}

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
  if (packageId.length !== PACKAGE_ID_BYTES) {
    throw new RangeError(`A package id has ${PACKAGE_ID_BYTES} bytes, not ${packageId.length}`);
  }
  const [pda] = await findPackagePda({ shipper, packageId }, { programAddress });
  return pda;
}

/** Address of the vault that holds a package's budget. */
export async function vaultAddress(programAddress: Address, packageAccount: Address): Promise<Address> {
  const [pda] = await findVaultPda({ package: packageAccount }, { programAddress });
  return pda;
}

/** Address of a package's swarm; every formation of the package has the same one. */
export async function swarmAddress(programAddress: Address, packageAccount: Address): Promise<Address> {
  const [pda] = await findSwarmPda({ package: packageAccount }, { programAddress });
  return pda;
}

/** Address of the leg with this index (0 is the first) in a swarm. */
export async function legAddress(programAddress: Address, swarm: Address, index: number): Promise<Address> {
  const [pda] = await findLegPda({ swarm, index }, { programAddress });
  return pda;
}

/** Address of an agent's reputation. */
export async function reputationAddress(programAddress: Address, agent: Address): Promise<Address> {
  const [pda] = await findReputationPda({ agent }, { programAddress });
  return pda;
}

/** Address of the ProgramData account, which names the program's upgrade authority. */
export async function programDataAddress(programAddress: Address): Promise<Address> {
  const [pda] = await getProgramDerivedAddress({
    programAddress: UPGRADEABLE_LOADER_ADDRESS,
    seeds: [getAddressEncoder().encode(programAddress)],
  });
  return pda;
}
