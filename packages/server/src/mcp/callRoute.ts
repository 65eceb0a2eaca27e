import { ERROR_CODES, type Operation, RelayError } from '@agent-relay/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  answerOnce,
  HEADER_IDEMPOTENCY_KEY,
  HEADER_REPLAYED,
  isKept,
  type NamedRequest,
  namedRequest,
  type TextAnswer,
} from '../http/idempotency.js';
import { refuseOtherMethods } from '../http/operationRoutes.js';
import { parseInput } from '../http/parseInput.js';
import { callTool, unknownTool } from './callTool.js';
import type { Offer } from './mcpServer.js';
import { failed, failureOf, resultJson, type ToolResult } from './toolResult.js';
import { openSession, type ToolSession } from './toolSession.js';

const PATH = '/mcp/call';
const JSON_TYPE = 'application/json; charset=utf-8';

const args = z.record(
  z.string(),
  z.unknown(),
  'must be an object that holds the arguments by name; leave it out for none',
);
const body = z.strictObject({ tool: z.string(), arguments: args.default({}) });
/** What is POSTed: a tool and its arguments. */
const CALL: Pick<Operation, 'params' | 'query' | 'body'> = { params: undefined, query: undefined, body };

/** `POST /mcp/call`. A call that fails is answered too: 200 with isError true. Rules S-18, S-36, S-38. */
export function routeCalls(app: FastifyInstance, offer: Offer, bodyLimit: number): void {
  const execute = async (request: FastifyRequest, session: ToolSession, requestKey?: string): Promise<ToolResult> => {
    const given = { params: {}, query: request.query, body: request.body };
    const { tool: name, arguments: named } = parseInput(CALL, given) as z.output<typeof body>;
    const tool = offer.tools.get(name);
    if (tool === undefined) return failed(unknownTool(offer.tools, name));
    return callTool(offer.context, { tool, arguments: named, session, requestKey });
  };
  app.route({
    method: 'POST',
    url: PATH,
    bodyLimit,
    config: { limit: 'toolCalls' },
    handler: async (request, reply) => {
      reply.header('content-type', JSON_TYPE);
      const session = openSession(offer.context, request);
      const named = nameOf(request, session);
      if (named === undefined) return resultJson(await execute(request, session));
      const reused = await spendNonce(session);
      if (reused !== undefined) return resultJson(failed(reused));
      const answer = await answerOnce(offer.context, named, async (key) =>
        asAnswer(await execute(request, session, key)),
      );
      if (answer.replayed) reply.header(HEADER_REPLAYED, 'true');
      return answer.body;
    },
  });
  refuseOtherMethods(app, PATH, ['POST']);
}

/** The name that the caller gave the request. Whoever signs wrongly has none: the call will tell what is wrong. */
function nameOf(request: FastifyRequest, session: ToolSession): NamedRequest | undefined {
  if (request.headers[HEADER_IDEMPOTENCY_KEY.toLowerCase()] === undefined) return undefined;
  const identity = session.identity();
  return identity && namedRequest(request, identity);
}

/** A repeat of a signed request is signed anew, also where its answer is only given again. */
async function spendNonce(session: ToolSession): Promise<RelayError | undefined> {
  try {
    await session.identity()?.spendNonce();
    return undefined;
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}

/** A repeat gets a refusal again where it would over REST. */
function asAnswer(result: ToolResult): TextAnswer {
  const failure = failureOf(result);
  const keep = failure === undefined || isKept(ERROR_CODES[failure.code].status);
  return { status: 200, body: resultJson(result), keep };
}
