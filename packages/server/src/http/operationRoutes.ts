import { JSON_FORMAT, type Operation, operations, toProblem } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { admit, identify } from '../api/identity.js';
import type { AppContext } from '../context.js';
import type { Run } from '../operations/run.js';
import type { Runs } from '../operations/index.js';
import { type ShareAnswer, shareAnswers } from '../api/sharedAnswers.js';
import { lastEventSeq } from '../db/events.js';
import { answerOnce, HEADER_REPLAYED, isKept, type NamedRequest, namedRequest } from '../api/idempotency.js';
import { parseInput } from '../api/parseInput.js';
import { PROBLEM_JSON, toLegworkError } from '../api/problems.js';
import { tellAllowance } from '../api/limits.js';
import { carrierIn, note, noteFailed, trace } from '../tracing/spans.js';
import { ledgerUrlFor } from './ledgerRoute.js';
import { askBeforeUse, chooseForm, contentType, refuseInForm, unlessKept, varyByAccept } from './representation.js';

/** Makes a route of every operation's contract. Rule S-1. */
export function routeOperations(app: FastifyInstance, context: AppContext, runs: Runs): void {
  const implementations: Record<string, Run<Operation>> = runs;
  const share = shareAnswers(() => lastEventSeq(context.db));
  for (const [name, contract] of Object.entries<Operation>(operations)) {
    const run = implementations[name];
    if (run === undefined) throw new Error(`the operation ${name} has no implementation`);
    routeOperation(app, { share, context, name, contract, run });
  }
}

interface Route {
  share: ShareAnswer;
  context: AppContext;
  name: string;
  contract: Operation;
  run: Run<Operation>;
}

function routeOperation(app: FastifyInstance, route: Route): void {
  const { context, name, contract } = route;
  const attributes = { 'http.request.method': contract.method, 'http.route': contract.path };
  const answer = answering(route);
  app.route({
    method: contract.method,
    url: contract.path,
    bodyLimit: contract.bodyLimit,
    config: { limit: contract.limit },
    ...(contract.formats.some((form) => form.writeRefusal) && { errorHandler: refuseInForm(contract) }),
    handler: (request, reply) => {
      const from = carrierIn(request.headers);
      return trace(context.tracing, { name: `operation ${name}`, kind: 'server', from, attributes }, () =>
        noted(answer(request, reply), reply),
      );
    },
  });
}

/** Notes with which status the request is answered. */
async function noted(answer: Promise<string | undefined>, reply: FastifyReply): Promise<string | undefined> {
  try {
    const body = await answer;
    note({ 'http.response.status_code': reply.statusCode });
    return body;
  } catch (error) {
    note({ 'http.response.status_code': toLegworkError(error).status });
    throw error;
  }
}

function answering({ share, context, contract, run }: Route) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> => {
    const form = chooseForm(contract, request.headers.accept);
    if (contract.formats.length > 0) varyByAccept(reply);
    if (contract.kept) askBeforeUse(reply);
    // For the key that signs alone, not for the next one who asks a cache.
    if (contract.auth === 'signed') reply.header('cache-control', 'no-store');
    // The signature comes first, over the bytes as received: a stranger learns nothing about how input is checked.
    const identity = identify(context, request, contract.auth);
    if (identity.signer !== undefined && !contract.kept) reply.header('cache-control', 'no-store');
    const input = parseInput(contract, { params: request.params, query: request.query, body: request.body });
    const named = contract.method === 'POST' ? namedRequest(request, identity) : undefined;
    tellAllowance(reply, await admit(context, identity, contract, input));
    const execute = async (requestKey?: string): Promise<string> => {
      const { signer, ip } = identity;
      const caller = {
        pubkey: signer?.pubkey,
        signer,
        ip,
        ledgerUrl: ledgerUrlFor(context, request.raw),
        requestKey,
      };
      const outcome = await run(context, input, caller);
      if (outcome.nextCursor !== undefined) linkNextPage(request, reply, outcome.nextCursor);
      const answer = z.encode(contract.answer, outcome.answer) as never;
      reply.headers(form.headers?.(answer) ?? {});
      return form.write(answer);
    };
    if (named !== undefined) return answerNamed(reply, context, named, contract.status, execute);
    const body = contract.shared ? await share(request.url, () => execute()) : await execute();
    reply.code(contract.status).header('content-type', contentType(form));
    return contract.kept ? unlessKept(request, reply, body) : body;
  };
}

/** Answers a request that has an Idempotency-Key. Refusals are kept too: a repeat is refused the same way. */
async function answerNamed(
  reply: FastifyReply,
  context: AppContext,
  named: NamedRequest,
  success: number,
  execute: (requestKey: string) => Promise<string>,
): Promise<string> {
  const { status, body, replayed } = await answerOnce(context, named, async (requestKey) => {
    try {
      return { status: success, body: await execute(requestKey), keep: true };
    } catch (error) {
      const shown = toLegworkError(error);
      if (!isKept(shown.status)) throw error;
      noteFailed(shown.code, shown.status >= 500);
      return { status: shown.status, body: JSON.stringify(toProblem(shown)), keep: true };
    }
  });
  if (replayed) reply.header(HEADER_REPLAYED, 'true');
  reply.code(status).header('content-type', status < 400 ? contentType(JSON_FORMAT) : PROBLEM_JSON);
  return body;
}

/** Links the next page by its query alone, which holds behind any proxy, however it rewrites paths. Rule S-20. */
function linkNextPage(request: FastifyRequest, reply: FastifyReply, cursor: string): void {
  const url = new URL(request.url, 'http://relay');
  url.searchParams.set('cursor', cursor);
  reply.header('link', `<${url.search}>; rel="next"`);
}
