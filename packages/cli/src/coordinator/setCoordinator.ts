import { resolve } from 'node:path';
import { loadOrCreateKeypair } from '@legwork/ledger';
import { isAddress } from '@solana/kit';
import { print } from '../print.js';
import { UserError } from '../userError.js';
import { onEmbeddedLedger } from './embeddedLedger.js';
import { nameCoordinator, readAuthority, summary } from './nameCoordinator.js';

/** The options of `legwork coordinator set`. */
export interface SetOptions {
  readonly coordinator: string;
  readonly authority?: string;
  readonly rpcUrl?: string;
  readonly programId?: string;
  readonly data?: string;
}

/** Names the coordinator as asked, and says on the screen what was done and what to do next. */
export async function setCoordinator(options: SetOptions): Promise<void> {
  if (options.data !== undefined) {
    await onEmbeddedLedger(resolve(options.data), options);
    return;
  }
  const { authority, rpcUrl, programId } = options;
  if (authority === undefined || rpcUrl === undefined || programId === undefined) {
    throw new UserError(
      'Give --authority, --rpc-url (or SOLANA_RPC_URL) and --program-id (or RELAY_PROGRAM_ID); or --data for the ' +
        'ledger of legwork start.',
    );
  }
  const relay = { rpcUrl, programId, authority: await readAuthority(authority) };
  const coordinator = isAddress(options.coordinator)
    ? options.coordinator
    : (await loadOrCreateKeypair(options.coordinator)).address;
  const done = await nameCoordinator(relay, coordinator);
  const file = isAddress(options.coordinator) ? '<key file of the coordinator>' : resolve(options.coordinator);
  await print(
    summary(done, [
      'What to do next:',
      '',
      `  1. Keep some SOL in its wallet, from which it pays fees and rent; it holds ${done.balance} lamports.`,
      `  2. Set COORDINATOR_KEYPAIR=${file}`,
      '  3. Stop every replica of the service and start it again: with the former key it can do nothing more.',
    ]),
  );
}
