import { z } from 'zod';
import { clientKey, RateLimitedError } from '../api/limits.js';
import { toLegworkError } from '../api/problems.js';
import type { AppContext } from '../context.js';
import type { Caller, Outcome } from '../operations/run.js';
import type { ToolSession } from './mcpRoute.js';
import { parseArguments, type Tool } from './tools.js';
import { type Carrier, noteFailed, trace } from '../tracing/spans.js';
import { ERROR_HINTS, type FieldError, type LegworkError } from '@legwork/protocol/contract';

/** A call of a known tool, its arguments not yet checked. */
export interface ToolCall {
  tool: Tool;
  arguments: Readonly<Record<string, unknown>>;
  session: ToolSession;
  /** A key for the request, the same for every repeat under its Idempotency-Key. */
  requestKey?: string | undefined;
  /** The trace that the message names, before the one in the headers of its request. */
  from?: Carrier | undefined;
  /** Told what is done while the call runs. */
  tell?: Caller['tell'];
}

/**
 * Calls a tool for the sender of the request, for `/mcp/call` and `/mcp` alike. They count a bid before, with
 * {@link countBid}. Rules S-35, S-36.
 *
 * @returns the answer, or the refusal with its next step
 * @throws RateLimitedError, which each of the two reports in its own way
 */
export function callTool(context: AppContext, call: ToolCall): Promise<ToolResult> {
  const { tool, session, from = session.carrier } = call;
  const { name } = tool.contract.tool;
  const start = { name: `tool ${name}`, kind: 'server', from, attributes: { 'legwork.tool': name } } as const;
  return trace(context.tracing, start, () => answerCall(context, call));
}

async function answerCall(context: AppContext, call: ToolCall): Promise<ToolResult> {
  const { tool, session, requestKey, tell } = call;
  try {
    session.identifyFor(tool.contract);
    const input = parseArguments(tool, call.arguments);
    const caller = await session.admit(tool.contract, input);
    return await answerOf(tool, await tool.run(context, input, { ...caller, requestKey, tell }));
  } catch (error) {
    if (error instanceof RateLimitedError) throw error;
    const shown = toLegworkError(error);
    noteFailed(shown.code, shown.status >= 500);
    const about = { err: error, tool: tool.contract.tool.name };
    if (shown.code === 'internal_error') context.log.error(about, 'tool call failed');
    else if (shown.status >= 500) context.log.warn(about, 'tool call refused');
    return failed(shown);
  }
}

/**
 * Counts a bid for its address before anything in the call is verified. REST counts it with its request; a tool call has to be
 * read first. Rule S-18.
 *
 * @throws RateLimitedError
 */
export async function countBid({ limits }: AppContext, { contract }: Tool, { ip }: Caller): Promise<void> {
  if (contract.limit === 'bids') await limits.take('bidsPerAddress', clientKey(ip));
}

/** What the operation answered, as the tool answers it. */
export async function answerOf(
  { answer, list }: Pick<Tool, 'answer' | 'list'>,
  outcome: Outcome<unknown>,
): Promise<ToolResult> {
  if (!list) return succeeded(z.encode(answer, outcome.answer) as Record<string, unknown>);
  const items = outcome.answer as unknown[];
  const total = outcome.total === undefined ? items.length : await outcome.total();
  return succeeded(
    z.encode(answer, { items, nextCursor: outcome.nextCursor ?? null, total }) as Record<string, unknown>,
  );
}

/** How a tool call ended, in MCP's form. */
export interface ToolResult {
  isError: boolean;
  content: [{ type: 'text'; text: string }];
  /** The answer as an object; `text` holds the same as JSON. A failed call has none. */
  structuredContent?: Record<string, unknown>;
}

/** The JSON in the text of a failed call. */
export interface ToolFailure {
  code: LegworkError['code'];
  message: string;
  /** The next step for the caller. */
  hint: string;
  errors?: readonly FieldError[];
}

/** The result of a call with this answer, which is in wire form. */
function succeeded(answer: Record<string, unknown>): ToolResult {
  return { isError: false, content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

/** The result of a refused call: what was wrong, and what to do next. */
export function failed(error: LegworkError): ToolResult {
  const failure: ToolFailure = {
    code: error.code,
    message: error.message,
    hint: ERROR_HINTS[error.code],
    ...(error.errors.length > 0 && { errors: error.errors }),
  };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(failure) }] };
}

/** The failure of a call; undefined when it succeeded. */
export function failureOf({ isError, content: [{ text }] }: ToolResult): ToolFailure | undefined {
  return isError ? (JSON.parse(text) as ToolFailure) : undefined;
}

/** The result as JSON. Its text already holds the answer, which is not turned into text twice. */
export function resultJson({ isError, content: [{ text }], structuredContent }: ToolResult): string {
  const structured = structuredContent === undefined ? '' : `,"structuredContent":${text}`;
  return `{"isError":${isError},"content":[{"type":"text","text":${JSON.stringify(text)}}]${structured}}`;
}
