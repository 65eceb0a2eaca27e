import { createSolanaRpcFromTransport, type Rpc, type RpcTransport, type SolanaRpcApi } from '@solana/kit';

/** An RPC that cannot be used for this: what is wrong with it, and what would be right. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
}

/** The longest answer that is read, bytes: thousands of listings. A node that goes on for ever fills no memory. */
const LONGEST_ANSWER = 32 * 1024 * 1024;
const ANSWER_WITHIN_MS = 20_000;

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
    const text = await bodyOf(url, answer);
    if (answer.status === 429)
      throw new ExitError(`${url} takes no more questions for now (429): try again in a minute`);
    return parsed(url, text);
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
