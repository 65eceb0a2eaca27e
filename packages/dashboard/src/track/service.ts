import type { operations } from '@legwork/protocol/contract';
import type { PackageDetail } from '@legwork/sdk';
import { createNonce, type RequestSigner, signRequest, toLamports } from '@legwork/protocol/contract';
import type { z } from 'zod';

/** A package as the service writes it. This page has no room for what checks it: it shows it, and signs what the ledger says. */
export type Parcel = z.input<typeof operations.getPackage.answer>;
export type ParcelLeg = NonNullable<Parcel['swarm']>['legs'][number];

/** What stands before every path of the service: the shell says it relative to the page. */
const base = new URL(document.documentElement.dataset['base'] ?? '/', window.location.href);

/** No answer: the network or the service is away. What the service refuses is a plain Error in its words. */
export class AwayError extends Error {}

/** How far the service's clock is ahead of this phone's, milliseconds: what it signs, it refuses a minute later. */
let ahead = 0;
/** The service says its time in whole seconds. */
const SAME_MS = 2_000;

/** Asks the service. @throws {AwayError} @throws Error what the service refused */
async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(new URL(path, base), { signal: AbortSignal.timeout(20_000), ...init }).catch(
    (error: unknown) => {
      throw new AwayError('The service does not answer.', { cause: error });
    },
  );
  const said = Date.parse(answer.headers.get('date') ?? '') - Date.now();
  if (Math.abs(said) > SAME_MS) ahead = said;
  const body = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  if (answer.status >= 500 || answer.status === 429) throw new AwayError('The service is busy.');
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  throw new Error(typeof detail === 'string' ? detail : `The service answered ${answer.status}.`);
}

export const readParcel = (id: string) => ask<Parcel>(`packages/${id}`);

/** What the shell was written with, or else what the service says now. */
export async function readConfig(): Promise<{ readonly programId: string; readonly rpcUrl: string }> {
  const written = document.getElementById('service')?.textContent;
  return written ? JSON.parse(written).config : ask('config');
}

/** Puts a text among the evidence of a leg, where the courier finds it. */
export async function putEvidence(signer: RequestSigner, { legId, text }: { legId: string; text: string }) {
  const path = `legs/${legId}/evidence`;
  const { host, pathname } = new URL(path, base);
  const body = JSON.stringify({ text });
  const parts = { method: 'POST', host, path: pathname, body };
  const send = async () =>
    ask(path, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        ...(await signRequest(signer, parts, createNonce(Date.now() + ahead))),
      },
    });
  const before = ahead;
  // A clock that is wrong shows by the first answer.
  await send().catch((error: unknown) => (ahead === before ? Promise.reject(error) : send()));
}

/** Terms as the SDK compares them with the ledger's. */
export const termsOf = ({ terms }: Parcel): PackageDetail['terms'] =>
  terms ? { ...terms, stakeLamports: toLamports(BigInt(terms.stakeLamports)) } : null;
