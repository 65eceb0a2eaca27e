import { ERROR_CODES, type Operation, LegworkError } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  answerOnce,
  HEADER_IDEMPOTENCY_KEY,
  HEADER_REPLAYED,
  isKept,
  type NamedRequest,
  namedRequest,
  type TextAnswer,
} from '../api/idempotency.js';
import { parseInput } from '../api/parseInput.js';
import type { AppContext } from '../context.js';
import { callTool, countBid, type ToolCall, failed, failureOf, resultJson, type ToolResult } from './callTool.js';
import type { Market } from './marketOffer.js';
import { unknownTool } from './tools.js';
import { openSession, type ToolSession } from './mcpRoute.js';

const PATH = '/mcp/call';
const JSON_TYPE = 'application/json; charset=utf-8';

const args = z.record(
  z.string(),
  z.unknown(),
  'must be an object that holds the arguments by name; leave it out for none',
);
const body = z.strictObject({ tool: z.string(), arguments: args.default({}) });
/** The body of a call: a tool and its arguments. */
const CALL: Pick<Operation, 'params' | 'query' | 'body'> = { params: undefined, query: undefined, body };

/** `POST /mcp/call`. A failed call is an answer too: 200 with isError true. Rules S-18, S-36, S-38. */
export function routeCalls(app: FastifyInstance, market: Market, bodyLimit: number): void {
  app.route({
    method: 'POST',
    url: PATH,
    bodyLimit,
    config: { limit: 'toolCalls' },
    handler: async (request, reply) => {
      reply.header('content-type', JSON_TYPE);
      const given = { params: {}, query: request.query, body: request.body };
      const { tool: name, arguments: named } = parseInput(CALL, given) as z.output<typeof body>;
      const tool = market.tools.get(name);
      if (tool === undefined) return resultJson(failed(unknownTool(market.tools, name)));
      const session = openSession(market.context, request);
      await countBid(market.context, tool, session.reader);
      const call = { tool, arguments: named, session };
      const requestName = nameOf(request, call);
      if (requestName === undefined) return resultJson(await callTool(market.context, call));
      return answerNamed(market.context, reply, requestName, call);
    },
  });
}

/**
 * The name that the caller gave the request; undefined for a wrong signature, which the call itself reports. Tools that only
 * read have none: they do not need it, and their answers would fill the database. Rule S-25.
 */
function nameOf(request: FastifyRequest, { tool, session }: ToolCall): NamedRequest | undefined {
  if (tool.contract.tool.readOnly || request.headers[HEADER_IDEMPOTENCY_KEY.toLowerCase()] === undefined)
    return undefined;
  const identity = session.identity();
  return identity && namedRequest(request, identity);
}

async function answerNamed(
  context: AppContext,
  reply: FastifyReply,
  named: NamedRequest,
  call: ToolCall,
): Promise<string> {
  const reused = await spendNonce(call.session);
  if (reused !== undefined) return resultJson(failed(reused));
  const answer = await answerOnce(context, named, async (requestKey) =>
    asAnswer(await callTool(context, { ...call, requestKey })),
  );
  if (answer.replayed) reply.header(HEADER_REPLAYED, 'true');
  return answer.body;
}

/** Every repeat of a signed request needs its own signature, even if it only gets the first answer again. */
async function spendNonce(session: ToolSession): Promise<LegworkError | undefined> {
  try {
    await session.identity()?.spendNonce();
    return undefined;
  } catch (error) {
    if (error instanceof LegworkError) return error;
    throw error;
  }
}

/** Keeps a refusal for repeats where REST would. */
function asAnswer(result: ToolResult): TextAnswer {
  const failure = failureOf(result);
  const keep = failure === undefined || isKept(ERROR_CODES[failure.code].status);
  return { status: 200, body: resultJson(result), keep };
}
