import type { operations } from '@legwork/protocol/contract';
import { inItsTime, LegworkApiError, type PackageDetail } from '@legwork/sdk';
import { createNonce, type RequestSigner, signRequest, toLamports } from '@legwork/protocol/contract';
import type { z } from 'zod';
import type { Note } from '../door/note.js';
import { t } from '../language.js';

/** A package as the service writes it. This page has no room for what checks it: it shows it, and signs what the ledger says. */
export type Parcel = z.input<typeof operations.getPackage.answer>;
export type ParcelLeg = NonNullable<Parcel['swarm']>['legs'][number];

/** What stands before every path of the service: the shell says it relative to the page. */
const base = new URL(document.documentElement.dataset['base'] ?? '/', window.location.href);

/** No answer: the network or the service is away. What the service refuses is a plain Error in its words. */
export class AwayError extends Error {}

const clock = { aheadMs: 0 };

/** Asks the service. @throws {AwayError} @throws {LegworkApiError} what the service refused */
async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(new URL(path, base), { signal: AbortSignal.timeout(20_000), ...init }).catch(
    (error: unknown) => {
      throw new AwayError(t('The service does not answer.'), { cause: error });
    },
  );
  if (answer.ok) return answer.json();
  const { status, headers } = answer;
  if (status >= 500 || status === 429) throw new AwayError(t('The service is busy.'));
  const { code = '', detail = t('The service answered {status}.', { status }) } = await answer.json().catch(() => ({}));
  throw new LegworkApiError(code, status, detail, { answeredAtMs: Date.parse(headers.get('date') ?? '') });
}

export const readParcel = (id: string) => ask<Parcel>(`packages/${id}`);

type Config = Pick<z.input<typeof operations.getConfig.answer>, 'programId' | 'rpcUrl' | 'assets'>;

/** What the shell was written with, or else what the service says now. */
export async function readConfig(): Promise<Config> {
  const written = document.getElementById('service')?.textContent;
  return written ? JSON.parse(written).config : ask('config');
}

/** Puts a text among the evidence of a leg, where the courier finds it. */
export const putEvidence = (signer: RequestSigner, { legId, text }: Note): Promise<unknown> =>
  askSigned(signer, `legs/${legId}/evidence`, JSON.stringify({ text }));

type Evidence = z.input<typeof operations.listEvidence.answer>;

/** What the parties of a leg have put among its evidence. */
export const listEvidence = (signer: RequestSigner, legId: string): Promise<Evidence> =>
  askSigned(signer, `legs/${legId}/evidence`);

/** @param body left out: it is read */
function askSigned<T>(signer: RequestSigner, path: string, body?: string): Promise<T> {
  const { host, pathname } = new URL(path, base);
  const method = body === undefined ? 'GET' : 'POST';
  return inItsTime(clock, async () => {
    const parts = { method, host, path: pathname, body: body ?? '' };
    const signed = await signRequest(signer, parts, createNonce(Date.now() + clock.aheadMs));
    if (body === undefined) return ask<T>(path, { headers: signed });
    return ask<T>(path, { method, body, headers: { 'content-type': 'application/json', ...signed } });
  });
}

/** Terms as the SDK compares them with the ledger's. */
export function termsOf({ terms }: Pick<Parcel, 'terms'>): PackageDetail['terms'] {
  if (!terms) return null;
  const stake = toLamports(BigInt(terms.stake));
  return { ...terms, stake, stakeLamports: terms.stakeLamports === null ? null : stake };
}
