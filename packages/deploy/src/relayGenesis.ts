import { readFileSync } from 'node:fs';
import type { Genesis, Ledger } from '@legwork/ledger';
import { Cluster } from './cluster.js';
import { deployOn } from './deployProgram.js';
import { initializeOn } from './relayConfig.js';

const LAMPORTS_PER_SOL = 1_000_000_000n;

type RelayKeypair = 'program' | 'authority' | 'coordinator';

/** A ledger that was started with `relayGenesis`. */
export type RelayLedger = Ledger<RelayKeypair>;

/**
 * The embedded ledger's genesis for Legwork: keys with funds, and the relay program, deployed by the same code and the
 * same transactions as on any cluster. Rule L-3.
 *
 * @param soPath - the built program; undefined makes the funded keys only, and a later start may deploy it
 */
export function relayGenesis(soPath: string | undefined): Genesis<RelayKeypair> {
  return {
    funds: { program: 0n, authority: 100n * LAMPORTS_PER_SOL, coordinator: 1_000n * LAMPORTS_PER_SOL },
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
    },
  };
}
