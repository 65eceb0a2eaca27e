import { METHODS } from 'node:http';
import { type Operation, operations, RelayError } from '@agent-relay/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireOwnKey, type Signer, useNonce, verifySigner } from '../auth/signedRequest.js';
import type { AppContext } from '../context.js';
import type { Run } from '../operations/implement.js';
import type { Runs } from '../operations/index.js';
import { parseInput } from './parseInput.js';

/** Makes a route of every operation's contract; other methods at the same path are answered with 405. */
export function routeOperations(app: FastifyInstance, context: AppContext, runs: Runs): void {
  const methods = new Map<string, string[]>();
  const implementations: Record<string, Run<Operation>> = runs;
  for (const [name, contract] of Object.entries<Operation>(operations)) {
    const run = implementations[name];
    if (run === undefined) throw new Error(`the operation ${name} has no implementation`);
    routeOperation(app, context, contract, run);
    methods.set(contract.path, [...(methods.get(contract.path) ?? []), contract.method]);
  }
  for (const [path, allowed] of methods) refuseOtherMethods(app, path, allowed);
}

function routeOperation(app: FastifyInstance, context: AppContext, contract: Operation, run: Run<Operation>): void {
  app.route({
    method: contract.method,
    url: contract.path,
    handler: async (request, reply) => {
      // The signature comes first, over the bytes as received: a stranger learns nothing from how input is judged.
      const signer = contract.auth === 'signed' ? verifySigner(context, request) : undefined;
      const input = parseInput(contract, { params: request.params, query: request.query, body: request.body });
      if (signer !== undefined) await admit(context, signer, input);
      const outcome = await run(context, input, { pubkey: signer?.pubkey, ip: request.ip });
      if (outcome.nextCursor !== undefined) linkNextPage(request, reply, outcome.nextCursor);
      reply.code(contract.status).header('content-type', 'application/json; charset=utf-8');
      return JSON.stringify(z.encode(contract.answer, outcome.answer));
    },
  });
}

/** The nonce is spent last, so that a request refused for its form may be mended and sent again. */
async function admit(context: AppContext, signer: Signer, input: object): Promise<void> {
  requireOwnKey(signer, input);
  await useNonce(context.db, signer);
}

/** The next page as a reference relative to this request, so that it holds behind any proxy. Rule S-20. */
function linkNextPage(request: FastifyRequest, reply: FastifyReply, cursor: string): void {
  const url = new URL(request.url, 'http://relay');
  url.searchParams.set('cursor', cursor);
  reply.header('link', `<${url.pathname}${url.search}>; rel="next"`);
}

/** HTTP methods beyond the framework's own; without them a known path would look unknown. CONNECT never gets here. */
export function knowEveryMethod(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
}

/** Answers 405 with Allow to every method that the path does not take. OPTIONS belongs to CORS. Rule S-5. */
export function refuseOtherMethods(app: FastifyInstance, path: string, allowed: readonly string[]): void {
  const taken = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].sort();
  const allow = taken.join(', ');
  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    reply.header('allow', allow);
    throw new RelayError('method_not_allowed', `${request.method} is not taken here; use ${allow}.`);
  };
  app.route({
    method: app.supportedMethods.filter((method) => !taken.includes(method) && method !== 'OPTIONS'),
    url: path,
    // Before the body is read: whatever it holds, the answer is the same.
    onRequest: refuse,
    handler: refuse,
  });
}
