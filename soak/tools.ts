import { createNonce, ERROR_CODES, signRequest } from '@legwork/protocol/contract';
import { type ErrorCode, LegworkApiError, LegworkNetworkError } from '@legwork/sdk';
import { type KeyPairSigner, signBytes } from '@solana/kit';
import type { Fetch } from './history/record.js';
import { FORWARDED_FOR } from './people.js';

const CALL_MS = 10_000;

interface Result {
  readonly isError: boolean;
  readonly content: readonly [{ readonly text: string }];
}

/** The extras of a tool call, beside its arguments. */
export interface CallExtras {
  readonly idempotencyKey?: string;
  /** The signer of the request, or undefined if it is unsigned. */
  readonly signer?: KeyPairSigner | undefined;
}

/** Which service is called, from where, and how. */
export interface Way {
  readonly url: string;
  readonly address: string;
  readonly send?: Fetch;
}

const PATH = '/mcp/call';

/**
 * Calls a tool as an agent without the SDK does.
 *
 * @returns the answer in wire form
 * @throws LegworkApiError as the same call over REST
 * @throws LegworkNetworkError when no answer comes
 */
export async function callTool(
  { url, address, send = fetch }: Way,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  { idempotencyKey, signer }: CallExtras = {},
): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ tool, arguments: args });
  const headers = {
    'content-type': 'application/json',
    [FORWARDED_FOR]: address,
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(signer !== undefined && (await signatureOf(signer, url, body))),
  };
  const signal = AbortSignal.timeout(CALL_MS);
  const answer = await send(url + PATH, { method: 'POST', headers, body, signal })
    .then(async (response) => ({ response, text: await response.text() }))
    .catch((error: unknown) => {
      throw new LegworkNetworkError(`${tool}: ${String(error)}`, { cause: error });
    });
  const told = JSON.parse(answer.text) as Result & { code?: ErrorCode; detail?: string };
  if (!answer.response.ok) {
    throw new LegworkApiError(told.code ?? 'unreadable_problem', answer.response.status, told.detail ?? answer.text);
  }
  const text: unknown = JSON.parse(told.content[0].text);
  if (!told.isError) return text as Record<string, unknown>;
  const { code, message } = text as { code: ErrorCode; message: string };
  throw new LegworkApiError(code, ERROR_CODES[code].status, message);
}

function signatureOf({ address, keyPair }: KeyPairSigner, url: string, body: string) {
  const signer = { pubkey: address, sign: (message: Uint8Array) => signBytes(keyPair.privateKey, message) };
  const parts = { method: 'POST', host: new URL(url).host, path: PATH, body };
  return signRequest(signer, parts, createNonce(Date.now()));
}
