import { type Config as ProgramConfig, getConfigDecoder } from '@legwork/program-client';
import { LegworkError } from '@legwork/protocol/contract';
import { getBase64Encoder } from '@solana/kit';
import { sql } from 'kysely';
import type { Signer } from '../api/signedRequest.js';
import type { AppContext } from '../context.js';
import type { Db } from '../db/connect.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Caller } from '../operations/run.js';
import { within } from '../waiting.js';

/** Longest wait for a ledger that does not answer, milliseconds. */
export const ANSWER_WITHIN_MS = 3_000;

/** So long a key that an operator opened may do what operators may, seconds. */
const OPEN_SEC = 3600;

/** The target of the act that opens a key. */
export const openedKey = (pubkey: string) => `key:${pubkey}`;

/** A key that can act as operator. */
export interface Operator {
  /** The proof of who asks. */
  signer: Signer;
  /** Until when the key is open; null: it is an operator's own. */
  openUntil: Date | null;
}

/**
 * Operators are the keys that the service is configured with, the authority of the program, as the ledger has it now, and for an hour
 * the keys that one of those opened. Rules S-260, S-262.
 *
 * @throws LegworkError `operators_only`
 */
export async function requireOperator(
  { config, db, ledger }: Pick<AppContext, 'config' | 'db' | 'ledger'>,
  { pubkey, signer }: Caller,
): Promise<Operator> {
  if (pubkey === undefined || signer === undefined) throw new Error('the operation is signed');
  if (config.operators.includes(pubkey)) return { signer, openUntil: null };
  const [opened, program] = await Promise.all([findOpened(db, pubkey), readProgram(ledger)]);
  const authority = program?.authority ?? ledger.authority;
  if (pubkey === authority) return { signer, openUntil: null };
  // A key opened by somebody who is no operator any more is not open.
  if (opened && (opened.by === authority || config.operators.includes(opened.by))) {
    return { signer, openUntil: opened.until };
  }
  throw LegworkError.field(
    'operators_only',
    'X-Pubkey',
    'is neither among OPERATORS of this service nor the authority of its program, nor a key that one of them opened within the hour',
  );
}

/** The operator that opened the key last, and until when; undefined: nobody within the hour, or it was closed since. */
async function findOpened(db: Db, pubkey: string): Promise<{ by: string; until: Date } | undefined> {
  const last = await db
    .selectFrom('operator_acts')
    .select(['act', 'operator_pubkey as by', sql<Date>`at + make_interval(secs => ${OPEN_SEC})`.as('until')])
    .where('act', 'in', ['open', 'close'])
    .where('target', '=', openedKey(pubkey))
    .where('at', '>', sql<Date>`now() - make_interval(secs => ${OPEN_SEC})`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.act === 'open' ? last : undefined;
}

/** The settings of the program as the ledger has them now; undefined while it is silent, when an operator wants to know most. */
export async function readProgram({ rpc, configAddress }: Ledger): Promise<ProgramConfig | undefined> {
  try {
    const config = { commitment: 'confirmed', encoding: 'base64' } as const;
    const { value: account } = await within(ANSWER_WITHIN_MS, rpc.getAccountInfo(configAddress, config).send());
    return account === null ? undefined : getConfigDecoder().decode(getBase64Encoder().encode(account.data[0]));
  } catch {
    return undefined;
  }
}
