import { createNonce, signRequest } from '@legwork/protocol/contract';
import { signBytes } from '@solana/kit';
import { JSON_TYPE, rawRequest } from '../http/rawRequest.js';
import { ADMIN_KEY } from '../operations/rewards/scene.js';
import type { Party, TestService } from '../support/service.js';
import type { Described } from './description.js';

/** A request as it will be sent, every part in the text it travels in. */
export interface Draft {
  operation: Described;
  path: Record<string, string>;
  query: [name: string, value: string][];
  /** Fields of the body with their JSON texts, or the body as it is; undefined: none. */
  body: [name: string, raw: string][] | string | Uint8Array | undefined;
  headers?: Record<string, string>;
  /** Whoever signs, where the operation is signed. */
  signer: Party;
}

/** How a request was answered. */
export interface Answer {
  status: number;
  contentType: string | string[] | undefined;
  body: Record<string, unknown>;
}

/** No answer takes longer, however slow the machine. */
const ANSWER_WITHIN_MS = 20_000;

/** The body's text of a draft. */
export function bodyOf({ body }: Draft): string | Uint8Array | undefined {
  if (!Array.isArray(body)) return body;
  return `{${body.map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(',')}}`;
}

/** Path and query of a draft, percent-encoded. */
export function targetOf({ operation, path, query }: Draft): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name] ?? ''));
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/** The headers of a draft: what its body needs, the signature where one is due, and what it says itself. */
export async function headersOf(service: TestService, draft: Draft): Promise<Record<string, string>> {
  const body = bodyOf(draft);
  const { operation, signer } = draft;
  const parts = {
    method: operation.method,
    host: new URL(service.server.url).host,
    path: targetOf(draft),
    body: body ?? '',
  };
  const sign = (message: Uint8Array) => signBytes(signer.signer.keyPair.privateKey, message);
  return {
    accept: 'application/json',
    ...(operation.isAdmins && { 'x-admin-key': ADMIN_KEY }),
    ...(body !== undefined && { ...JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) }),
    ...(operation.signed && (await signRequest({ pubkey: signer.pubkey, sign }, parts, createNonce(Date.now())))),
    ...draft.headers,
  };
}

/** Sends a draft. Fails when no answer comes, or one that no JSON reader takes. */
export async function send(service: TestService, draft: Draft): Promise<Answer> {
  const headers = await headersOf(service, draft);
  const body = bodyOf(draft);
  const answer = rawRequest(Number(new URL(service.server.url).port), {
    method: draft.operation.method,
    path: targetOf(draft),
    headers,
    ...(body !== undefined && { body }),
  });
  const answered = await within(ANSWER_WITHIN_MS, answer, `${draft.operation.method} ${targetOf(draft)}`);
  return { status: answered.status, contentType: answered.headers['content-type'], body: answered.body };
}

async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${what.slice(0, 200)} within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The fields that a problem document names, each once, sorted. */
export function fieldsOf({ body }: Answer): string[] {
  const errors = Array.isArray(body['errors']) ? (body['errors'] as { field?: unknown; message?: unknown }[]) : [];
  return [
    ...new Set(errors.map(({ field, message }) => (message ? String(field) : `${String(field)} (no message)`))),
  ].sort();
}
