import { createSolanaRpcFromTransport, type Rpc, type RpcTransport, type SolanaRpcApi } from '@solana/kit';
import { ANSWER_WITHIN_MS } from '../ledgerRpc.js';

/** An RPC that cannot be used for this: what is wrong with it, and what would be right. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
}

/** The longest answer that is read, bytes: thousands of listings. A node that goes on for ever fills no memory. */
const LONGEST_ANSWER = 32 * 1024 * 1024;

export type ExitRpc = Rpc<SolanaRpcApi>;

/**
 * An RPC of a ledger that nobody vouches for: its answers end after 20 seconds and 32 MiB. Rule A-161.
 *
 * @param url http or https
 */
export function exitRpc(url: string): ExitRpc {
  const transport = (async ({ payload, signal }) => {
    const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    }).catch((cause: unknown) => {
      throw new ExitError(`${url} does not answer: give the RPC address of a ledger`, { cause });
    });
    const text = await bodyOf(url, answer).catch((cause: unknown) => {
      if (cause instanceof ExitError) throw cause;
      throw new ExitError(`${url} does not end its answer within ${ANSWER_WITHIN_MS / 1000} seconds`, { cause });
    });
    if (answer.status === 429)
      throw new ExitError(`${url} takes no more questions for now (429): try again in a minute`);
    return formed(url, payload, parsed(url, text));
  }) as RpcTransport;
  return createSolanaRpcFromTransport(transport);
}

async function bodyOf(url: string, { body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    length += part.value.length;
    if (length > LONGEST_ANSWER) {
      await reader?.cancel();
      throw new ExitError(`${url} answers without an end: more than ${LONGEST_ANSWER} bytes are not read`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text;
}

function parsed(url: string, text: string): unknown {
  try {
    // Kit makes bigints of whole numbers by itself. Amounts that a number does not hold exactly stand in the data of accounts.
    return JSON.parse(text);
  } catch (cause) {
    throw new ExitError(`${url} does not answer as the RPC of a ledger does: is it the address of a page?`, { cause });
  }
}

/** An answer of the form that its question has, or the node's own refusal. @throws {ExitError} */
function formed(url: string, payload: unknown, answer: unknown): unknown {
  const { method } = payload as { readonly method: string };
  const { result, error } = fieldsOf(answer);
  if (isThere(error) || (FORMS[method]?.(result) ?? true)) return answer;
  throw new ExitError(`${url} answers ${method} in another form than the RPC of a ledger does: use another one`);
}

/** The questions put to a node, each with a check that an answer fits it. */
const FORMS: Readonly<Record<string, (result: unknown) => boolean>> = {
  getGenesisHash: isBase58,
  getMultipleAccounts: (result) => {
    const { value } = fieldsOf(result);
    return Array.isArray(value) && value.every((one) => one === null || isAccount(one));
  },
  getProgramAccounts: (result) =>
    Array.isArray(result) &&
    result.map(fieldsOf).every(({ pubkey, account }) => isBase58(pubkey) && isAccount(account)),
  getLatestBlockhash: (result) => {
    const { blockhash, lastValidBlockHeight } = fieldsOf(fieldsOf(result)['value']);
    return isBase58(blockhash) && isAmount(lastValidBlockHeight);
  },
  getBlockHeight: isAmount,
  getSignatureStatuses: (result) => Array.isArray(fieldsOf(result)['value']),
  sendTransaction: isBase58,
};

function isAccount(shown: unknown): boolean {
  const { owner, lamports, executable, data } = fieldsOf(shown);
  const bytes: unknown = Array.isArray(data) ? data[0] : undefined;
  const isRead = typeof bytes === 'string' && /^[\w+/]*={0,2}$/.test(bytes);
  return isBase58(owner) && isAmount(lamports) && typeof executable === 'boolean' && isRead;
}

function isBase58(text: unknown): boolean {
  return typeof text === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,90}$/.test(text);
}

function isAmount(shown: unknown): boolean {
  return Number.isInteger(shown) && Number(shown) >= 0;
}

const isThere = (value: unknown) => typeof value === 'object' && value !== null;

/** The fields of a value; none if it is no object. */
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isThere(value) ? (value as Readonly<Record<string, unknown>>) : {};
