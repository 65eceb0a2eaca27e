import { randomUUID } from 'node:crypto';
import { type Client, ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { signatureHeaders } from '../mcp/toolCalls.js';
import type { Party, TestService } from '../support/service.js';

type Json = Record<string, unknown>;

/** How a call was answered. */
export interface Answered {
  status: number;
  id: unknown;
  result: Json;
  error: { code: number; message: string; data?: Json[] } | undefined;
}

/**
 * A client of the official SDK; with a party its requests are signed, as an orchestrator outside would sign them.
 *
 * @param card below which address the card is that it reads
 */
export function a2aClient(service: TestService, party?: Party, card = service.server.url): Promise<Client> {
  const signing: typeof fetch = async (url, init) => {
    const body = typeof init?.body === 'string' ? init.body : '';
    const headers = new Headers(init?.headers);
    const signed = party && body !== '' ? await signatureHeaders(service, party.signer, body, '/a2a') : {};
    for (const [name, value] of Object.entries(signed)) headers.set(name, value);
    return fetch(url, { ...init, headers });
  };
  const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl: signing })] });
  return factory.createFromUrl(card);
}

/** POSTs bytes to the endpoint, with the headers of a client that speaks 1.0 unless others are given. */
export async function postRaw(
  { server }: Pick<TestService, 'server'>,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const usual = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  return fetch(`${server.url}/a2a`, { method: 'POST', headers: { ...usual, ...headers }, body });
}

/** Calls a method without the SDK, which would send nothing wrong. */
export async function call(
  service: TestService,
  method: unknown,
  params?: unknown,
  given: { headers?: Record<string, string>; by?: Party } = {},
): Promise<Answered> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, ...(params !== undefined && { params }) });
  const signed = given.by ? await signatureHeaders(service, given.by.signer, body, '/a2a') : {};
  const response = await postRaw(service, body, { ...signed, ...given.headers });
  return { status: response.status, ...((await response.json()) as Omit<Answered, 'status'>) };
}

/** The request that posts a goal of one leg. */
export function posting(data: Json | undefined, changes: Json = {}, configuration: Json = { returnImmediately: true }) {
  const parts = [{ text: 'Sum up the feedback.' }, ...(data === undefined ? [] : [{ data }])];
  return { message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...changes }, configuration };
}

/** The reason in the details of an error, and the fields that they name. */
export function detailsOf({ error }: Answered): { code: number | undefined; reason: unknown; fields: unknown[] } {
  const of = (type: string) => error?.data?.find((one) => one['@type'] === `type.googleapis.com/google.rpc.${type}`);
  const fields = (of('BadRequest')?.['fieldViolations'] ?? []) as Json[];
  return { code: error?.code, reason: of('ErrorInfo')?.['reason'], fields: fields.map(({ field }) => field) };
}
