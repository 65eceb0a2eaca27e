import { resolve } from 'node:path';
import { setCoordinator } from '@legwork/deploy';
import { readKeypairFile } from '@legwork/ledger';
import { type Address, createSolanaRpc, isAddress, type KeyPairSigner } from '@solana/kit';
import { UserError } from '../userError.js';

/** Where the program is, and who may say who its coordinator is. */
export interface Relay {
  readonly rpcUrl: string;
  readonly programId: string;
  readonly authority: KeyPairSigner;
}

/** @throws UserError when there is no such file */
export async function readAuthority(file: string): Promise<KeyPairSigner> {
  return readKeypairFile(file).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new UserError(`There is no file ${resolve(file)}.`);
  });
}

/** What was done. */
export interface Done {
  readonly coordinator: Address;
  readonly former: Address;
  readonly outcome: 'set' | 'unchanged';
  /** What the new coordinator's wallet holds, in lamports. */
  readonly balance: bigint;
}

/** @throws UserError, DeployError saying what does not fit */
export async function nameCoordinator(relay: Relay, coordinator: Address): Promise<Done> {
  const { rpcUrl, programId: programAddress, authority } = relay;
  if (!isAddress(programAddress)) throw new UserError(`--program-id is "${programAddress}", which is no address.`);
  const { outcome, former } = await setCoordinator({ rpcUrl, programAddress, authority, coordinator });
  const { value: balance } = await createSolanaRpc(rpcUrl).getBalance(coordinator, { commitment: 'confirmed' }).send();
  return { coordinator, former, outcome, balance };
}

/** What is said on the screen. */
export function summary({ coordinator, former, outcome }: Done, next: readonly string[]): string {
  const said =
    outcome === 'set'
      ? [
          `The coordinator is ${coordinator} now. It was ${former}.`,
          '',
          'Keep the key of the former one: rent that it advanced and what it funded return to it.',
        ]
      : [`The coordinator was ${coordinator} already; nothing was sent.`];
  return [...said, '', ...next, ''].join('\n');
}
