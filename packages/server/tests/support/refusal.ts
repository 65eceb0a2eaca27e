import { createNonce, type ErrorCode, type Problem, signRequest } from '@agent-relay/protocol';
import { type KeyPairSigner, signBytes } from '@solana/kit';
import { expect } from 'vitest';
import type { Party, TestService } from './service.js';
import { snapshot } from './snapshot.js';

/** What a refusal has to say. */
export interface Refusal {
  status: number;
  code: ErrorCode;
  /** The fields that `errors` names, in any order. */
  fields: readonly string[];
  /** What its detail has to tell: what was wrong, or what would be right. */
  says?: RegExp;
}

/** POSTs a body as JSON, or text as it is. */
export function post(
  service: TestService,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${service.server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** How a signed request departs from a right one. */
export interface SigningChanges {
  nonce?: string;
  /** Whoever really signs; the request still names the party. */
  signer?: KeyPairSigner;
  /** What is signed instead of the body that is sent. */
  signedBody?: string;
  /** What is signed instead of the path that is sent. */
  signedPath?: string;
}

/** POSTs a body with the party's signature. */
export async function postSigned(
  service: TestService,
  party: Party,
  path: string,
  body: unknown,
  changes: SigningChanges = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { signer = party.signer, nonce = createNonce(Date.now()), signedBody = text, signedPath = path } = changes;
  const parts = { method: 'POST', host: new URL(service.server.url).host, path: signedPath, body: signedBody };
  const sign = (message: Uint8Array) => signBytes(signer.keyPair.privateKey, message);
  return post(service, path, text, await signRequest({ pubkey: party.pubkey, sign }, parts, nonce));
}

/**
 * Sends what has to be refused, and holds the answer against `refusal`: a problem document, with its code, naming the
 * fields at fault. Nothing may have changed, neither in the tables nor on the ledger.
 */
export async function expectRefused(
  service: TestService,
  wallets: readonly string[],
  send: () => Promise<Response>,
  { status, code, fields, says }: Refusal,
): Promise<Problem> {
  const before = await snapshot(service, wallets);
  const response = await send();
  const problem = (await response.json()) as Problem;
  const found = {
    status: response.status,
    code: problem.code,
    fields: problem.errors.map(({ field }) => field).sort(),
  };
  expect(found, problem.detail).toEqual({ status, code, fields: [...fields].sort() });
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(problem).toMatchObject({ type: 'about:blank', status, title: expect.stringMatching(/./) });
  for (const { message } of problem.errors) expect(message).not.toBe('');
  if (says) expect(problem.detail).toMatch(says);
  expect(await snapshot(service, wallets)).toEqual(before);
  return problem;
}
