import { getConfigDecoder } from '@legwork/program-client';
import { LegworkError } from '@legwork/protocol/contract';
import { getBase64Encoder } from '@solana/kit';
import type { Signer } from '../api/signedRequest.js';
import type { AppContext } from '../context.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Caller } from '../operations/run.js';
import { within } from '../waiting.js';

/** Longest wait for a ledger that does not answer, milliseconds. */
const ANSWER_WITHIN_MS = 3_000;

/**
 * Operators are the keys that the service is configured with, and the authority of the program, as the ledger has it now. Rule S-260.
 *
 * @returns the proof of who asks
 * @throws LegworkError `operators_only`
 */
export async function requireOperator({ config, ledger }: AppContext, { pubkey, signer }: Caller): Promise<Signer> {
  if (pubkey === undefined || signer === undefined) throw new Error('the operation is signed');
  if (config.operators.includes(pubkey)) return signer;
  if (pubkey === (await authorityOf(ledger))) return signer;
  throw LegworkError.field(
    'operators_only',
    'X-Pubkey',
    'is neither among OPERATORS of this service nor the authority of its program',
  );
}

/** As the ledger has it now; while that is silent, as it was at the start: then an operator wants to know most. */
async function authorityOf({ rpc, configAddress, authority }: Ledger): Promise<string> {
  try {
    const config = { commitment: 'confirmed', encoding: 'base64' } as const;
    const { value: account } = await within(ANSWER_WITHIN_MS, rpc.getAccountInfo(configAddress, config).send());
    return account === null
      ? authority
      : getConfigDecoder().decode(getBase64Encoder().encode(account.data[0])).authority;
  } catch {
    return authority;
  }
}
