import { getPackageDecoder, getSwarmDecoder, type Package, type Swarm } from '@agent-relay/program-client';
import { address, getBase64Encoder, type ReadonlyUint8Array } from '@solana/kit';
import type { Chain } from './chain.js';
import { ask } from './ledgerRpc.js';

/** The data of an account of the program; undefined when there is none at the address. */
async function readData(chain: Chain, account: string): Promise<ReadonlyUint8Array | undefined> {
  const { value } = await ask(
    chain.rpc.getAccountInfo(address(account), { commitment: 'confirmed', encoding: 'base64' }),
  );
  if (value?.owner !== chain.programAddress) return undefined;
  const data = getBase64Encoder().encode(value.data[0]);
  // A closed package leaves an empty account behind.
  return data.length === 0 ? undefined : data;
}

/** What the ledger shows of a package now; undefined: none was listed at the address, or it was closed. */
export async function readPackageAccount(chain: Chain, onChainPackage: string): Promise<Package | undefined> {
  const data = await readData(chain, onChainPackage);
  return data && getPackageDecoder().decode(data);
}

/** What the ledger shows of a swarm now; undefined before its formation and after its settlement or reclaim. */
export async function readSwarmAccount(chain: Chain, onChainSwarm: string): Promise<Swarm | undefined> {
  const data = await readData(chain, onChainSwarm);
  return data && getSwarmDecoder().decode(data);
}
