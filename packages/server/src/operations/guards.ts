import { ask } from '@legwork/program-client/history';
import { parseWalletPubkey, PubkeyError, RelayError } from '@legwork/protocol/contract';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { address } from '@solana/kit';
import type { AppContext } from '../context.js';

/** Refuses the keys of the program and the coordinator, which no agent or poster can have. @throws RelayError `invalid_input` */
export function requireWallet(context: AppContext, field: string, pubkey: string): void {
  const { programAddress, coordinator } = context.ledger;
  try {
    parseWalletPubkey(pubkey, [programAddress, coordinator.address]);
  } catch (error) {
    if (!(error instanceof PubkeyError)) throw error;
    throw RelayError.field('invalid_input', field, error.message);
  }
}

/**
 * An agent is paid on an account of the system program, or on one that does not exist yet. An account owned by another
 * program would make every swarm and every assignment with that agent fail on the ledger, and hold up the others.
 *
 * @throws RelayError `invalid_input` when the account belongs to another program
 */
export async function requirePlainAccount({ ledger }: AppContext, agentPubkey: string): Promise<void> {
  const { value: account } = await ask(
    ledger.rpc.getAccountInfo(address(agentPubkey), {
      commitment: 'confirmed',
      encoding: 'base64',
      dataSlice: { offset: 0, length: 0 },
    }),
  );
  if (account === null || account.owner === SYSTEM_PROGRAM_ADDRESS) return;
  throw RelayError.field(
    'invalid_input',
    'agentPubkey',
    `is an account of the program ${account.owner} on the ledger and no leg can be assigned to it; bid with the key of a plain wallet`,
  );
}
