import { maxHeaderSize } from 'node:http';
import { RelayError } from '@legwork/protocol/contract';
import type { FastifyInstance } from 'fastify';
import findMyWay from 'find-my-way';

/**
 * Answers 405 with Allow to every method that a path does not take, whatever other path it might stand for. OPTIONS belongs to
 * CORS. For all routes made after this. Rule S-5.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = findMyWay({ maxParamLength: maxHeaderSize });
  const taken = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    if (method === 'OPTIONS') return;
    const methods = taken.get(url) ?? new Set();
    if (!taken.has(url)) paths.on('GET', url, () => undefined, methods);
    taken.set(url, methods);
    for (const one of [method].flat()) methods.add(one);
  });
  // Before the body is read: the answer does not depend on it.
  app.addHook('onRequest', async ({ method, url }, reply) => {
    const found = paths.find('GET', url);
    // A slash at the end makes the last parameter empty: no path ends that way.
    if (found === null || Object.values(found.params).includes('')) return;
    const methods: Set<string> = found.store;
    if (methods.has(method) || method === 'OPTIONS') return;
    const allow = [...methods].sort().join(', ');
    reply.header('allow', allow);
    throw new RelayError('method_not_allowed', `${method} is not taken here; use ${allow}.`);
  });
}
