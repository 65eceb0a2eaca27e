import { createNonce, signRequest } from '@legwork/protocol/contract';
import { LegworkNetworkError, LegworkProtocolError, toRequestSigner } from '@legwork/sdk';
import type { LegworkSigner } from '@legwork/sdk';
import { ProtocolError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { RefusedError, toolResult } from './toolResult.js';
import type { ToolResult } from './toolResult.js';

/** A tool as the service lists it. */
const listedTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({
    type: z.literal('object'),
    properties: z.record(z.string(), z.json()).optional(),
    required: z.array(z.string()).optional(),
  }),
  outputSchema: z.looseObject({ type: z.literal('object') }).optional(),
  annotations: z
    .object({
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional(),
});
export type ListedTool = z.output<typeof listedTool>;
const manifest = z.object({ tools: z.array(listedTool) });

const problem = z.object({ code: z.string(), detail: z.string() });
const rpcAnswer = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.object({ code: z.int(), message: z.string() }) }),
]);

/** The service may itself wait 30 s for the ledger. */
const TIMEOUT_MS = 45_000;
/** Several times what the longest answer has. */
const MOST_BYTES = 8 * 1024 * 1024;
const MCP_REVISION = '2025-11-25';

/** The tool interface of a service, spoken to with the key of a wallet. */
export interface ServiceMcp {
  tools(): Promise<readonly ListedTool[]>;
  /** Calls a tool, signed. @throws {RefusedError} when the service does not take the request at all */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  /** Sends one JSON-RPC request to `/mcp`. @throws {ProtocolError} that the service answers */
  rpc(method: string, params: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
}

/**
 * Every function may throw `LegworkNetworkError` when no answer comes, or `LegworkProtocolError` for one of another form.
 *
 * @param signer signs the calls
 */
export function createServiceMcp(service: string, signer: LegworkSigner): ServiceMcp {
  const at = (path: string) => new URL(new URL(service).pathname.replace(/\/$/, '') + path, service);
  return {
    tools: async () => parse(manifest, await send(at('/mcp/tools'), { method: 'GET' })).tools,
    call: async (tool, args) => {
      const url = at('/mcp/call');
      const body = JSON.stringify({ tool, arguments: args });
      const parts = { method: 'POST', host: url.host, path: url.pathname, body };
      const signed = await signRequest(toRequestSigner(signer), parts, createNonce(Date.now()));
      return parse(toolResult, await send(url, { method: 'POST', body, headers: { ...JSON_BODY, ...signed } }));
    },
    rpc: async (method, params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = {
        ...JSON_BODY,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MCP_REVISION,
      };
      const answer = parse(rpcAnswer, await send(at('/mcp'), { method: 'POST', body, headers }));
      if ('error' in answer) throw new ProtocolError(answer.error.code, answer.error.message);
      return answer.result;
    },
  };
}

const JSON_BODY = { 'content-type': 'application/json' };

/** The JSON of an answer, or of the message in its event stream. */
async function send(url: URL, init: RequestInit): Promise<unknown> {
  const { status, retryAfter, text } = await exchange(url, init);
  if (status < 200 || status > 299) throw refusalOf(status, retryAfter, text);
  return parseJson(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

async function exchange(url: URL, init: RequestInit) {
  try {
    // A redirect would change what was signed.
    const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await textOf(answer) };
  } catch (cause) {
    if (cause instanceof LegworkProtocolError) throw cause;
    const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : '';
    throw new LegworkNetworkError(`${init.method} ${url.href}: ${why}`, { cause });
  }
}

/** @throws {LegworkProtocolError} when it does not end in time */
async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) throw new LegworkProtocolError(`the service answered with more than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function refusalOf(status: number, retryAfter: string | null, text: string): RefusedError {
  const read = problem.safeParse(parseJson(text));
  const { code, detail } = read.data ?? { code: 'unreadable_problem', detail: `HTTP status ${status}` };
  const wait = /^\d{1,6}$/.test(retryAfter ?? '') ? ` Wait ${retryAfter} seconds.` : '';
  return new RefusedError(code, `${detail}${wait}`);
}

function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new LegworkProtocolError('the service answered in another form than this version knows', { cause: read.error });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
