import { createNonce, signRequest } from '@legwork/protocol/contract';
import {
  Client,
  type CallToolResult,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { type KeyPairSigner, signBytes } from '@solana/kit';
import { expect } from 'vitest';
import type { ToolFailure } from '../../src/mcp/callTool.js';
import type { TestService } from '../support/service.js';
import { onceFinal } from '../support/onceFinal.js';

type Json = Record<string, unknown>;

/** How a call of `POST /mcp/call` was answered. */
export interface Called {
  status: number;
  headers: Headers;
  /** The body as it came. */
  body: { isError?: boolean; content?: { type: string; text: string }[]; structuredContent?: Json };
  /** The value that the text parses to: the answer, or the failure. */
  told: Json;
}

/** POSTs to `/mcp/call`; a text is sent as it is. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  path = '/mcp/call',
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Calls a tool over `POST /mcp/call`. */
export async function callTool(
  { server }: Pick<TestService, 'server'>,
  tool: string,
  args?: Json,
  headers: Record<string, string> = {},
): Promise<Called> {
  const answer = await post(server.url, { tool, ...(args && { arguments: args }) }, headers);
  const body = (await answer.json()) as Called['body'];
  const text = body.content?.[0]?.text;
  return { status: answer.status, headers: answer.headers, body, told: text === undefined ? {} : JSON.parse(text) };
}

/** The answer of a call that has to succeed. */
export async function answerOf(service: TestService, tool: string, args?: Json): Promise<Json> {
  const { body, told } = await callTool(service, tool, args);
  if (body.isError !== false) throw new Error(`${tool} failed: ${JSON.stringify(body)}`);
  return told;
}

/** The failure of a call that has to fail. */
export async function failureOf(
  service: TestService,
  tool: string,
  args?: Json,
  headers: Record<string, string> = {},
): Promise<ToolFailure> {
  const { status, body, told } = await callTool(service, tool, args, headers);
  if (status !== 200 || body.isError !== true)
    throw new Error(`${tool} did not fail: ${status} ${JSON.stringify(body)}`);
  return told as unknown as ToolFailure;
}

/** The headers that sign this body for this path, with the key of the signer. */
export async function signatureHeaders(
  { server }: Pick<TestService, 'server'>,
  signer: KeyPairSigner,
  body: string,
  path = '/mcp/call',
): Promise<Record<string, string>> {
  const parts = { method: 'POST', host: new URL(server.url).host, path, body };
  const sign = (message: Uint8Array) => signBytes(signer.keyPair.privateKey, message);
  return { ...(await signRequest({ pubkey: signer.address, sign }, parts, createNonce(Date.now()))) };
}

/** Calls a tool with the signature of this key. */
export async function callSigned(
  service: TestService,
  signer: KeyPairSigner,
  tool: string,
  args: Json,
  headers: Record<string, string> = {},
): Promise<Called> {
  const body = JSON.stringify({ tool, arguments: args });
  return callTool(service, tool, args, { ...(await signatureHeaders(service, signer, body)), ...headers });
}

/** The revisions of the protocol that a client can be made to speak. */
export type Revision = '2026' | '2025';

/** An MCP client that is connected; `close` ends it. */
export async function connectClient(
  url: string,
  revision: Revision,
  headers: Record<string, string> = {},
  capabilities: ClientCapabilities = {},
): Promise<Client> {
  const mode = revision === '2026' ? ({ pin: '2026-07-28' } as const) : ('legacy' as const);
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode }, capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  return client;
}

/** Calls a tool over MCP. The output schema of the manifest is checked by the client. */
export async function callOverMcp(service: TestService, revision: Revision, tool: string, args: Json = {}) {
  const client = await connectClient(service.server.url, revision);
  try {
    // The schemas of answers are known to a client that has listed the tools.
    await client.listTools();
    const { isError, content, structuredContent }: CallToolResult = await client.callTool({
      name: tool,
      arguments: args,
    });
    return { isError, content, ...(structuredContent !== undefined && { structuredContent }) };
  } finally {
    await client.close();
  }
}

/** The result of a call over `/mcp/call`, and over MCP at both revisions, which have to be the same. */
export async function answeredAlike(service: TestService, tool: string, args: Json): Promise<Json> {
  const { status, body } = await callTool(service, tool, args);
  expect(status).toBe(200);
  for (const revision of ['2026', '2025'] as const) {
    expect(onceFinal(await callOverMcp(service, revision, tool, args))).toEqual(onceFinal(body));
  }
  const { isError, content, structuredContent } = body;
  const told: unknown = JSON.parse(content?.[0]?.text ?? '');
  expect(structuredContent).toEqual(isError === false ? told : undefined);
  expect(content).toHaveLength(1);
  return structuredContent ?? {};
}

/** Sends one JSON-RPC message to `/mcp` as an older client does, and answers what comes back. */
export async function rpc(
  url: string,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: Json }> {
  const answer = await post(
    url,
    message,
    { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18', ...headers },
    '/mcp',
  );
  const text = await answer.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return { status: answer.status, headers: answer.headers, body: data === '' ? {} : (JSON.parse(data) as Json) };
}

const REVISION = '2026-07-28';

/** A request of the newest revision as it goes over the wire: the message, and the headers that repeat parts of it. */
export function modern(method: string, params: Json, capabilities: Json = {}) {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const { _meta, ...others } = params;
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...others, _meta: { ...envelope, ...(_meta as Json) } } };
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
  return { message, headers };
}

/** The message that calls a tool. */
export const toolsCall = (name: string, args: unknown = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
