import { METHODS } from 'node:http';
import { RelayError } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Adds the HTTP methods that the framework does not know; without them a known path would look unknown. CONNECT never gets here. */
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
    // Before the body is read: the answer does not depend on it.
    onRequest: refuse,
    handler: refuse,
  });
}
