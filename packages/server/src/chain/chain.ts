import { readFile } from 'node:fs/promises';
import { configAddress } from '@agent-relay/program-client';
import { parseKeypairFile, toLamports, type Lamports } from '@agent-relay/protocol';
import { address, createKeyPairSignerFromBytes, type Address, type KeyPairSigner } from '@solana/kit';
import { type Config, ConfigError } from '../config.js';
import { ask, createLedgerRpc, type LedgerRpc } from './ledgerRpc.js';

/** The ledger as this service uses it. */
export interface Chain {
  rpc: LedgerRpc;
  programAddress: Address;
  configAddress: Address;
  /** The hot key: forms swarms and settles. */
  coordinator: KeyPairSigner;
  genesisHash: string;
  /** What an empty account must hold at least: a payment below it cannot reach an empty wallet. */
  rentExemptMinimum: Lamports;
}

/** @throws ConfigError naming the file and what is wrong with it; never what is in it */
async function readCoordinator(file: string): Promise<KeyPairSigner> {
  try {
    return await createKeyPairSignerFromBytes(parseKeypairFile(await readFile(file, 'utf8')));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    throw new ConfigError(`COORDINATOR_KEYPAIR: ${file} cannot be used: ${reason}`);
  }
}

/** Connects to the ledger and checks that the program is there and ready. @throws Error with a sentence for operators */
export async function connectChain(config: Config): Promise<Chain> {
  const rpc = createLedgerRpc(config.rpcUrl);
  const programAddress = address(config.programId);
  const coordinator = await readCoordinator(config.coordinatorKeypair);
  const [genesisHash, rentExemptMinimum, relayConfig] = await Promise.all([
    ask(rpc.getGenesisHash()),
    ask(rpc.getMinimumBalanceForRentExemption(0n)),
    configAddress(programAddress),
  ]);
  return {
    rpc,
    programAddress,
    configAddress: relayConfig,
    coordinator,
    genesisHash,
    rentExemptMinimum: toLamports(rentExemptMinimum),
  };
}
