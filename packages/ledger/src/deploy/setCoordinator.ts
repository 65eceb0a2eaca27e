import { configAddress, fetchMaybeConfig, getSetCoordinatorInstruction } from '@legwork/program-client';
import { createSolanaRpc, type Address, type KeyPairSigner } from '@solana/kit';
import { DeployError } from '../errors.js';
import { Cluster } from './cluster.js';

export type SetCoordinatorOptions = {
  readonly rpcUrl: string;
  readonly programAddress: Address;
  /** The cold key; pays the fee. */
  readonly authority: KeyPairSigner;
  /** The hot key from now on. */
  readonly coordinator: Address;
};

export type SetCoordinatorOutcome = {
  /** `unchanged`: it was the coordinator already. */
  readonly outcome: 'set' | 'unchanged';
  /** Who was the coordinator before. */
  readonly former: Address;
};

/**
 * Has the relay program take orders from another coordinator, at once. Safe to repeat. Rules P-57, P-58.
 *
 * @throws DeployError when the program is not there, the authority is another one, or the cluster refuses
 */
export async function setCoordinator(options: SetCoordinatorOptions): Promise<SetCoordinatorOutcome> {
  const { rpcUrl, programAddress, authority, coordinator } = options;
  const cluster = new Cluster(createSolanaRpc(rpcUrl));
  const config = await configAddress(programAddress);
  const present = await fetchMaybeConfig(cluster.rpc, config, { commitment: 'confirmed' });
  if (!present.exists || present.programAddress !== programAddress) {
    throw new DeployError(`The cluster shows no initialised relay program at ${programAddress}.`);
  }
  const { authority: named, coordinator: former } = present.data;
  if (named !== authority.address) {
    throw new DeployError(`The program's authority is ${named}, not ${authority.address}; sign with that key.`);
  }
  if (coordinator === authority.address) {
    throw new DeployError('Authority and coordinator are the same key; the cold key must be another one.');
  }
  if (coordinator === former) return { outcome: 'unchanged', former };
  const instruction = getSetCoordinatorInstruction({ authority, config, coordinator }, { programAddress });
  await cluster.run(authority, [instruction]);
  return { outcome: 'set', former };
}
