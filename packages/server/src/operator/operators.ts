import { ask } from '@legwork/program-client/history';
import { getConfigDecoder } from '@legwork/program-client';
import { LegworkError } from '@legwork/protocol/contract';
import { getBase64Encoder } from '@solana/kit';
import type { Signer } from '../api/signedRequest.js';
import type { AppContext } from '../context.js';
import type { Caller } from '../operations/run.js';

/**
 * Operators are the keys that the service is configured with, and the authority of the program, as the ledger has it now. Rule S-260.
 *
 * @returns the proof of who asks
 * @throws LegworkError `operators_only`, `ledger_unavailable`
 */
export async function requireOperator({ config, ledger }: AppContext, { pubkey, signer }: Caller): Promise<Signer> {
  if (pubkey === undefined || signer === undefined) throw new Error('the operation is signed');
  if (config.operators.includes(pubkey)) return signer;
  const { value: account } = await ask(
    ledger.rpc.getAccountInfo(ledger.configAddress, { commitment: 'confirmed', encoding: 'base64' }),
  );
  if (account === null) throw new Error('the program has no settings');
  if (getConfigDecoder().decode(getBase64Encoder().encode(account.data[0])).authority === pubkey) return signer;
  throw LegworkError.field(
    'operators_only',
    'X-Pubkey',
    'is neither among OPERATORS of this service nor the authority of its program',
  );
}
