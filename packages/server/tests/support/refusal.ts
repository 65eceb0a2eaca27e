import {
  createNonce,
  ERROR_CODES,
  type ErrorCode,
  type Operation,
  operations,
  type Problem,
  refusalsOf,
  signRequest,
} from '@legwork/protocol/contract';
import { type KeyPairSigner, signBytes } from '@solana/kit';
import { expect } from 'vitest';
import type { Party, TestService } from './service.js';
import { changesBetween, snapshot, untilTakenBack } from './snapshot.js';

/** The expected content of a refusal. */
export interface Refusal {
  status: number;
  code: ErrorCode;
  /** The fields that `errors` names, in any order. */
  fields: readonly string[];
  /** The point of its detail: what was wrong, or what would be right. */
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
  /** The body that is signed instead of the one that is sent. */
  signedBody?: string;
  /** The path that is signed instead of the one that is sent. */
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

/** A refused request as it looked from outside. */
export interface Answer {
  status: number;
  contentType: string | null;
  code: unknown;
  title: unknown;
  detail: unknown;
  /** The fields that `errors` names, sorted. */
  fields: readonly string[];
  /** Tables and accounts that changed meanwhile. */
  changed: readonly string[];
}

/** Reports whether an operation at this address says that it may refuse so. Rule S-40. */
function isDescribed(url: string, code: unknown): boolean {
  const { pathname } = new URL(url);
  const there = Object.values<Operation>(operations).filter(({ path }) =>
    new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
  return there.length === 0 || there.some((contract) => refusalsOf(contract).some((one) => one === code));
}

/** Sends a request; says how it was answered, and what of tables, `wallets` and other accounts changed meanwhile. */
export async function attempt(
  service: TestService,
  wallets: readonly string[],
  send: () => Promise<Response>,
): Promise<Answer> {
  await untilTakenBack(service);
  const before = await snapshot(service, wallets);
  const response = await send();
  const problem = (await response.json()) as Partial<Problem>;
  const isKnown = response.ok || response.status === 405 || isDescribed(response.url, problem.code);
  const after = await snapshot(service, wallets);
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    code: isKnown ? problem.code : `${problem.code}, of which the description says nothing`,
    title: problem.title,
    detail: problem.detail,
    fields: (problem.errors ?? [])
      .map(({ field, message }) => (message === '' ? `${field} (no message)` : field))
      .sort(),
    changed: changesBetween(before, after),
  };
}

/** The answer that a refused request gets: a problem document of this code that names the fields. Nothing changed. */
export function refusedWith({ status, code, fields, says = /./ }: Refusal): Answer {
  return {
    status,
    contentType: 'application/problem+json; charset=utf-8',
    code,
    title: ERROR_CODES[code].title,
    detail: expect.stringMatching(says),
    fields: [...fields].sort(),
    changed: [],
  };
}
