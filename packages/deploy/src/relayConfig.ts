import {
  configAddress,
  fetchMaybeConfig,
  getInitializeInstruction,
  getSetCoordinatorInstruction,
  programDataAddress,
} from '@legwork/program-client';
import { createSolanaRpc, type Address, type KeyPairSigner } from '@solana/kit';
import { testUsdcOn } from './assets.js';
import { Cluster, DeployError } from './cluster.js';
import { readFileSync } from 'node:fs';
import type { Genesis, Ledger } from '@legwork/ledger';
import { deployOn } from './deployProgram.js';

type RelayToInitialize = {
  readonly programAddress: Address;
  /** Proves the right to initialise; pays the fee and the rent of the Config account. */
  readonly upgradeAuthority: KeyPairSigner;
  /** The cold key. */
  readonly authority: Address;
  /** The hot key; must differ from the authority. */
  readonly coordinator: Address;
};

export type InitializeRelayOptions = RelayToInitialize & { readonly rpcUrl: string };

export type InitializeOutcome = {
  readonly configAddress: Address;
  /** `unchanged`: it was initialised before. The keys are those in the Config account, which may have changed since. */
  readonly outcome: 'initialized' | 'unchanged';
  readonly authority: Address;
  readonly coordinator: Address;
};

/**
 * Names the relay program's authority and coordinator. The program accepts this once.
 *
 * @throws DeployError when both are the same key, or the cluster refuses
 */
export async function initializeRelay(options: InitializeRelayOptions): Promise<InitializeOutcome> {
  return initializeOn(new Cluster(createSolanaRpc(options.rpcUrl)), options);
}

async function initializeOn(cluster: Cluster, relay: RelayToInitialize): Promise<InitializeOutcome> {
  const { programAddress, upgradeAuthority, authority, coordinator } = relay;
  requireTwoKeys(authority, coordinator);
  const config = await configAddress(programAddress);
  const present = await fetchMaybeConfig(cluster.rpc, config, { commitment: 'confirmed' });
  if (present.exists) {
    const { authority: named, coordinator: current } = present.data;
    return { configAddress: config, outcome: 'unchanged', authority: named, coordinator: current };
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

export type SetCoordinatorOptions = {
  readonly rpcUrl: string;
  readonly programAddress: Address;
  /** The cold key; pays the fee. */
  readonly authority: KeyPairSigner;
  /** The new hot key. */
  readonly coordinator: Address;
};

export type SetCoordinatorOutcome = {
  /** `unchanged`: it was the coordinator already. */
  readonly outcome: 'set' | 'unchanged';
  /** The coordinator until now. */
  readonly former: Address;
};

/**
 * Names another coordinator, with immediate effect. Safe to repeat. Rules P-57, P-58.
 *
 * @throws DeployError when there is no initialised program, its authority is another key, or the cluster refuses
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
  requireTwoKeys(authority.address, coordinator);
  if (coordinator === former) return { outcome: 'unchanged', former };
  const instruction = getSetCoordinatorInstruction({ authority, config, coordinator }, { programAddress });
  await cluster.run(authority, [instruction]);
  return { outcome: 'set', former };
}

function requireTwoKeys(authority: Address, coordinator: Address): void {
  if (authority === coordinator) {
    throw new DeployError('Authority and coordinator are the same key; the cold key must be another one.');
  }
}

const LAMPORTS_PER_SOL = 1_000_000_000n;

type RelayKeypair = 'program' | 'authority' | 'coordinator' | 'usdc';

/** A ledger that was started with `relayGenesis`. */
export type RelayLedger = Ledger<RelayKeypair>;

/**
 * The embedded ledger's genesis for Legwork: keys with funds, the relay program, deployed by the same code and the same transactions
 * as on any cluster, and a token for trials that listings can be paid in. Rule L-3.
 *
 * @param soPath - the built program; undefined makes the funded keys only, and a later start may deploy it
 */
export function relayGenesis(soPath: string | undefined): Genesis<RelayKeypair> {
  return {
    funds: { program: 0n, authority: 100n * LAMPORTS_PER_SOL, coordinator: 1_000n * LAMPORTS_PER_SOL, usdc: 0n },
    async prepare({ rpc, keypairs, nextSlot, log }) {
      if (soPath === undefined) return;
      const { signer: programKeypair } = keypairs.program;
      const { signer: authority } = keypairs.authority;
      const cluster = new Cluster(rpc, nextSlot);
      const { programAddress, outcome, sha256 } = await deployOn(cluster, {
        payer: authority,
        programKeypair,
        so: readFileSync(soPath),
        upgradeAuthority: authority,
        log,
      });
      log(`program ${programAddress} ${outcome}, sha256 ${sha256}`);
      await initializeOn(cluster, {
        programAddress,
        upgradeAuthority: authority,
        authority: authority.address,
        coordinator: keypairs.coordinator.signer.address,
      });
      await testUsdcOn(cluster, {
        programAddress,
        authority,
        coordinator: keypairs.coordinator.signer,
        mint: keypairs.usdc.signer,
      });
    },
  };
}
