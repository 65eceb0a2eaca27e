import { readFileSync } from 'node:fs';
import { createSolanaRpcFromTransport, type Address, type RpcTransport } from '@solana/kit';
import type { Chain } from '../chain/chain.js';
import { Cluster } from '../deploy/cluster.js';
import { deployOn } from '../deploy/deployProgram.js';
import { initializeOn } from '../deploy/initializeRelay.js';
import { decodeJson, encodeJson } from '../json.js';
import type { Dispatcher } from '../rpc/dispatcher.js';
import type { LedgerKeys } from './genesis.js';

/**
 * Deploys the relay program and initialises it, by the same code and the same transactions as on any cluster; only the transport
 * calls the ledger in this process. Does nothing where all is done, and goes on where a killed process stopped.
 */
export async function ensureProgram(
  soPath: string,
  keys: LedgerKeys,
  dispatcher: Dispatcher,
  chain: Chain,
  log: (line: string) => void,
): Promise<Address> {
  const cluster = new Cluster(createSolanaRpcFromTransport(inProcess(dispatcher)), async () => {
    await chain.advance(chain.clock.slotMs);
  });
  const { programAddress, outcome, sha256 } = await deployOn(cluster, {
    payer: keys.authority,
    programKeypair: keys.program,
    so: readFileSync(soPath),
    upgradeAuthority: keys.authority,
    log,
  });
  log(`program ${programAddress} ${outcome}, sha256 ${sha256}`);
  await initializeOn(cluster, {
    programAddress,
    upgradeAuthority: keys.authority,
    authority: keys.authority.address,
    coordinator: keys.coordinator.address,
  });
  return programAddress;
}

function inProcess(dispatcher: Dispatcher): RpcTransport {
  const transport = async ({ payload }: Parameters<RpcTransport>[0]): Promise<unknown> =>
    decodeJson(await dispatcher.answer(encodeJson(payload)));
  return transport as RpcTransport;
}
