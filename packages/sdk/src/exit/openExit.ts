import { CONFIG_KIND, configAddress, getConfigDecoder, getConfigSize } from '@legwork/program-client';
import type { Address } from '@solana/kit';
import { address } from '@solana/kit';
import { errorOf } from '../landed.js';
import { ledgerNowMs } from '../turns/readLeg.js';
import { ExitError, exitRpc } from './exitRpc.js';
import { readAccounts } from './readAccounts.js';
import type { ExitLedger } from './found.js';

/** Where to look, and what the caller knows of it by itself. */
export interface ExitPlace {
  readonly rpcUrl: string;
  /** The program: never what an RPC says, since it acts with the rights of whoever signs. */
  readonly program: string;
  /** The genesis of the ledger that the key worked with; left out: not known. */
  readonly genesisHash?: string | undefined;
}

/**
 * Opens the program on a ledger, with nothing but an RPC of it.
 *
 * @throws {ExitError} when there is no such program, or it is another ledger than the key worked with. Rule A-165.
 */
export async function openExit({ rpcUrl, program, genesisHash: known }: ExitPlace): Promise<ExitLedger> {
  const rpc = exitRpc(rpcUrl);
  const genesisHash: string = await rpc.getGenesisHash().send().catch(told(rpcUrl));
  if (known !== undefined && known !== genesisHash) {
    throw new ExitError(
      `${rpcUrl} is an RPC of ledger ${genesisHash}, and this key worked on ledger ${known}: give an RPC of that one`,
    );
  }
  const coordinator = await coordinatorOf(rpc, rpcUrl, address(program), genesisHash);
  return { rpc, program: address(program), genesisHash, coordinator, now: new Date(await ledgerNowMs(rpc)) };
}

async function coordinatorOf(rpc: ExitLedger['rpc'], url: string, program: Address, genesis: string): Promise<Address> {
  const [code, config] = await readAccounts(rpc, [program, await configAddress(program)]).catch(told(url));
  const where = `ledger ${genesis} (the one of ${url})`;
  if (code === undefined) {
    throw new ExitError(`there is no program ${program} on ${where}: give the right program, or an RPC of its cluster`);
  }
  if (!code.executable)
    throw new ExitError(
      `${program} is no program on ${where}, but an account of ${code.owner}: give the right program`,
    );
  if (config?.owner !== program || config.data.length !== getConfigSize() || config.data[0] !== CONFIG_KIND) {
    throw new ExitError(
      `${program} on ${where} is no Legwork program, or was never set up: it has no config. Give the right program`,
    );
  }
  return getConfigDecoder().decode(config.data).coordinator;
}

/** Throws an RPC's refusal in its own words. */
export const told =
  (url: string) =>
  (error: unknown): never => {
    if (error instanceof ExitError) throw error;
    throw new ExitError(`${url} does not say: ${errorOf(error).message}`, { cause: error });
  };
