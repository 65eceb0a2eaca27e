import { maxHeaderSize } from 'node:http';
import { LegworkError } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';

/** The pattern of the path of a request that was refused for its method. */
const refusedAt = new WeakMap<FastifyRequest, string>();

/** The pattern of the path of a request; `none` where there is nothing. */
export function patternOf(request: FastifyRequest): string {
  return refusedAt.get(request) ?? (request.is404 ? undefined : request.routeOptions.url) ?? 'none';
}

interface Path {
  readonly pattern: string;
  readonly methods: Set<string>;
}

/**
 * Answers 405 with Allow to every method that a path does not take, whatever other path it might stand for. OPTIONS belongs to
 * CORS. For all routes made after this. Rule S-5.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = findMyWay({ maxParamLength: maxHeaderSize });
  const known = new Map<string, Path>();
  app.addHook('onRoute', ({ url: pattern, method }) => {
    if (method === 'OPTIONS') return;
    const path = known.get(pattern) ?? { pattern, methods: new Set() };
    if (!known.has(pattern)) paths.on('GET', pattern, () => undefined, path);
    known.set(pattern, path);
    for (const one of [method].flat()) path.methods.add(one);
    // Of a prefix's own path with a slash the framework tells HEAD alone.
    if (method === 'HEAD') path.methods.add('GET');
  });
  // Before the body is read: the answer does not depend on it.
  app.addHook('onRequest', async (request, reply) => {
    const { method, url } = request;
    const found = paths.find('GET', url);
    // A slash at the end makes the last parameter empty: no path ends that way.
    if (found === null || Object.values(found.params).includes('')) return;
    const { pattern, methods }: Path = found.store;
    if (methods.has(method) || method === 'OPTIONS') return;
    refusedAt.set(request, pattern);
    const allow = [...methods].sort().join(', ');
    reply.header('allow', allow);
    throw new LegworkError('method_not_allowed', `${method} is not taken here; use ${allow}.`);
  });
}
