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

const progress = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
});
const MOST_CHARACTERS = 500;
const told = z.object({ method: z.literal('notifications/progress'), params: progress });

/** Takes a step of a call under way, with which the service says how far it is. */
export type Tell = (step: z.output<typeof progress>) => void;

/** The service may itself wait 30 s for the ledger. */
const TIMEOUT_MS = 45_000;
/** Several times what the longest answer has. */
const MOST_BYTES = 8 * 1024 * 1024;
const MCP_REVISION = '2025-11-25';

/** The tool interface of a service, spoken to with the key of a wallet. */
export interface ServiceMcp {
  tools(): Promise<readonly ListedTool[]>;
  /** Calls a tool, signed. @throws {RefusedError} when the service does not take the request at all */
  call(tool: string, args: Readonly<Record<string, unknown>>, tell?: Tell): Promise<ToolResult>;
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
    call: async (tool, args, tell) => {
      // Progress is told in the stream of a message of MCP alone.
      const url = at(tell === undefined ? '/mcp/call' : '/mcp');
      const params = { name: tool, arguments: args, _meta: { progressToken: 1 } };
      const body = tell === undefined ? JSON.stringify({ tool, arguments: args }) : message('tools/call', params);
      const parts = { method: 'POST', host: url.host, path: url.pathname, body };
      const signed = await signRequest(toRequestSigner(signer), parts, createNonce(Date.now()));
      const headers = { ...(tell === undefined ? JSON_BODY : MESSAGE), ...signed };
      const answer = await send(url, { method: 'POST', body, headers }, tell);
      return parse(toolResult, tell === undefined ? answer : resultOf(answer));
    },
    rpc: async (method, params) =>
      resultOf(await send(at('/mcp'), { method: 'POST', body: message(method, params), headers: MESSAGE })),
  };
}

const JSON_BODY = { 'content-type': 'application/json' };
const MESSAGE = {
  ...JSON_BODY,
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': MCP_REVISION,
};
const message = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** @throws {ProtocolError} that the service answers */
function resultOf(answered: unknown): Record<string, unknown> {
  const answer = parse(rpcAnswer, answered);
  if ('error' in answer) throw new ProtocolError(answer.error.code, answer.error.message);
  return answer.result;
}

/** The JSON of an answer, or of the last message in its event stream; those before it are told as they come. */
async function send(url: URL, init: RequestInit, tell?: Tell): Promise<unknown> {
  const { status, retryAfter, text } = await exchange(url, init, tell);
  if (status < 200 || status > 299) throw refusalOf(status, retryAfter, text);
  return parseJson([...text.matchAll(DATA)].at(-1)?.[1] ?? text);
}

/** A line of an event stream that holds a message, complete. */
const DATA = /^data: (.*)$/gm;

/** Tells the progress that the stream has told since it was last asked. @returns how much of the text was looked at */
function tellProgress(text: string, from: number, tell: Tell): number {
  const end = text.lastIndexOf('\n') + 1;
  for (const [, line = ''] of text.slice(from, end).matchAll(DATA)) {
    const { params } = told.safeParse(parseJson(line)).data ?? {};
    if (params === undefined) continue;
    const { message: said, ...step } = params;
    tell({ ...step, ...(said !== undefined && { message: said.slice(0, MOST_CHARACTERS) }) });
  }
  return Math.max(from, end);
}

async function exchange(url: URL, init: RequestInit, tell?: Tell) {
  try {
    // A redirect would change what was signed.
    const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await textOf(answer, tell) };
  } catch (cause) {
    if (cause instanceof LegworkProtocolError) throw cause;
    const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : '';
    throw new LegworkNetworkError(`${init.method} ${url.href}: ${why}`, { cause });
  }
}

/** @throws {LegworkProtocolError} when it does not end in time */
async function textOf({ body }: Response, tell?: Tell): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size, seen] = ['', 0, 0];
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) throw new LegworkProtocolError(`the service answered with more than ${MOST_BYTES} bytes`);
    text += decoder.decode(part, { stream: true });
    if (tell) seen = tellProgress(text, seen, tell);
  }
  return text + decoder.decode();
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
