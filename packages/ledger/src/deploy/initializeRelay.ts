import { configAddress, fetchMaybeConfig, getInitializeInstruction } from '@legwork/program-client';
import { createSolanaRpc, type Address, type KeyPairSigner } from '@solana/kit';
import { DeployError } from '../errors.js';
import { Cluster } from './cluster.js';
import { programDataAddress } from './loader.js';

export type RelayToInitialize = {
  readonly programAddress: Address;
  /** Proves the right to initialise; pays the fee and the Config's rent. */
  readonly upgradeAuthority: KeyPairSigner;
  /** The cold key. */
  readonly authority: Address;
  /** The hot key, another one. */
  readonly coordinator: Address;
};

export type InitializeRelayOptions = RelayToInitialize & { readonly rpcUrl: string };

export type InitializeOutcome = {
  readonly configAddress: Address;
  /** `unchanged`: it was initialised before, perhaps with other keys since; they are in the Config account. */
  readonly outcome: 'initialized' | 'unchanged';
  readonly authority: Address;
  readonly coordinator: Address;
};

/**
 * Names the relay program's authority and coordinator, which the program takes once.
 *
 * @throws DeployError when the cluster refuses
 */
export async function initializeRelay(options: InitializeRelayOptions): Promise<InitializeOutcome> {
  return initializeOn(new Cluster(createSolanaRpc(options.rpcUrl)), options);
}

export async function initializeOn(cluster: Cluster, relay: RelayToInitialize): Promise<InitializeOutcome> {
  const { programAddress, upgradeAuthority, authority, coordinator } = relay;
  if (authority === coordinator) {
    throw new DeployError('Authority and coordinator are the same key; the cold key must be another one.');
  }
  const config = await configAddress(programAddress);
  const present = await fetchMaybeConfig(cluster.rpc, config, { commitment: 'confirmed' });
  if (present.exists) {
    return {
      configAddress: config,
      outcome: 'unchanged',
      authority: present.data.authority,
      coordinator: present.data.coordinator,
    };
  }
  const instruction = getInitializeInstruction(
    {
      upgradeAuthority,
      config,
      program: programAddress,
      programData: await programDataAddress(programAddress),
      authority,
      coordinator,
    },
    { programAddress },
  );
  await cluster.run(upgradeAuthority, [instruction]);
  return { configAddress: config, outcome: 'initialized', authority, coordinator };
}
