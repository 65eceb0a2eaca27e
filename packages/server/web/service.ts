import type { CallOf, operations, Problem } from '@legwork/protocol/contract';
import type { z } from 'zod';
import { type SigningKey, signedHeaders } from './signedRequest.js';

type Contracts = typeof operations;
/** What an operation answers, as it is on the wire. */
type WireOf<Name extends keyof Contracts> = z.input<Contracts[Name]['answer']>;

export type Preview = WireOf<'previewRewardClaim'>;
export type Claim = WireOf<'registerRewardClaim'>;
export type ClaimToRegister = CallOf<Contracts['registerRewardClaim']>;

/** A page of the list, and where the next one is. */
export interface ClaimPage {
  readonly claims: readonly Claim[];
  readonly next: URL | undefined;
}

/** For people, who do not make nonces. */
const TOO_LATE =
  'Signatures hold for a minute: the wallet took longer, or the clock of this device is wrong. Try again.';

/** The service refused; the message is its own sentence, where that is for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.code === 'stale_nonce' ? TOO_LATE : problem.detail);
    this.problem = problem;
  }
}

const CLAIMS_A_PAGE = 25;

/** Beside this page, whatever prefix it is served under. */
function at(path: string): URL {
  return new URL(path, document.baseURI);
}

async function ask(url: URL, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init).catch(() => {
    throw new Error('The service cannot be reached now. Try again.');
  });
  if (response.ok) return response;
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) {
    throw new Error(`The service answered with status ${response.status}. Try again later.`);
  }
  throw new Refusal((await response.json()) as Problem);
}

async function post<T>(key: SigningKey, path: string, fields: object): Promise<T> {
  const url = at(path);
  const body = JSON.stringify(fields);
  const signature = await signedHeaders(key, { method: 'POST', url, body });
  const response = await ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signature },
    body,
  });
  return (await response.json()) as T;
}

/** What a claim of this key would record. @throws Refusal */
export function previewClaim(key: SigningKey): Promise<Preview> {
  return post(key, 'reward-claims/preview', { devnetPubkey: key.address });
}

/** Registers the claim, for good. @throws Refusal */
export function registerClaim(key: SigningKey, claim: ClaimToRegister): Promise<Claim> {
  return post(key, 'reward-claims', claim);
}

/** A page of the claims, highest earnings first. @throws Refusal */
export async function listClaims(url: URL = at(`reward-claims?limit=${CLAIMS_A_PAGE}`)): Promise<ClaimPage> {
  const response = await ask(url);
  const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  return { claims: (await response.json()) as Claim[], next: next === undefined ? undefined : new URL(next, url) };
}
