import { z } from 'zod';
import { clientKey, RateLimitedError } from '../api/limits.js';
import { toRelayError } from '../api/problems.js';
import type { AppContext } from '../context.js';
import type { Caller, Outcome } from '../operations/run.js';
import { failed, succeeded, type ToolResult } from './toolResult.js';
import type { ToolSession } from './toolSession.js';
import { parseArguments, type Tool } from './tools.js';

/** A call of a tool, as far as it was understood. */
export interface ToolCall {
  tool: Tool;
  arguments: Readonly<Record<string, unknown>>;
  session: ToolSession;
  /** What stands for the Idempotency-Key of the request. */
  requestKey?: string | undefined;
}

/**
 * Calls a tool for whoever sent the request: the one way that `/mcp/call` and `/mcp` share. A bid is counted before, with
 * {@link countBid}. Rules S-35, S-36.
 *
 * @returns the answer, or the refusal with its next step
 * @throws RateLimitedError, which each of the two tells in its own way
 */
export async function callTool(context: AppContext, call: ToolCall): Promise<ToolResult> {
  const { tool, session, requestKey } = call;
  try {
    session.identifyFor(tool.contract);
    const input = parseArguments(tool, call.arguments);
    const caller = await session.admit(tool.contract, input);
    return succeeded(await wireAnswer(tool, await tool.run(context, input, { ...caller, requestKey })));
  } catch (error) {
    if (error instanceof RateLimitedError) throw error;
    const shown = toRelayError(error);
    const about = { err: error, tool: tool.contract.tool.name };
    if (shown.code === 'internal_error') context.log.error(about, 'tool call failed');
    else if (shown.status >= 500) context.log.warn(about, 'tool call refused');
    return failed(shown);
  }
}

/**
 * Counts a bid for its address before anything of the call is verified. Over REST it is counted with its request; a tool call has
 * to be read first. Rule S-18.
 *
 * @throws RateLimitedError
 */
export async function countBid({ limits }: AppContext, { contract }: Tool, { ip }: Caller): Promise<void> {
  if (contract.limit === 'bids') await limits.take('bidsPerAddress', clientKey(ip));
}

async function wireAnswer({ answer, list }: Tool, outcome: Outcome<unknown>): Promise<Record<string, unknown>> {
  if (!list) return z.encode(answer, outcome.answer) as Record<string, unknown>;
  const items = outcome.answer as unknown[];
  const total = outcome.total === undefined ? items.length : await outcome.total();
  return z.encode(answer, { items, nextCursor: outcome.nextCursor ?? null, total }) as Record<string, unknown>;
}
