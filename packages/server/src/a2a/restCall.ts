import type { FastifyRequest } from 'fastify';
import { LegworkError } from '@legwork/protocol/contract';
import { A2A_PATH } from './agentCard.js';
import { httpErrorOf } from './errors.js';
import { METHODS } from './methods.js';
import { bodyIn, type Call, type Failure, type NoCall, type Wire } from './rpcCall.js';

function failure(error: unknown): Failure {
  const body = httpErrorOf(error);
  return { status: body.error.code, body };
}

const WIRE: Wire = { result: (result) => result, failure };

/** The paths of HTTP+JSON behind `/a2a` and perhaps a tenant, with the methods that they are; groups are named as the parameters. */
const PATHS: readonly (readonly [http: string, path: RegExp, name: string])[] = [
  ['POST', /^message:send$/, 'SendMessage'],
  ['POST', /^message:stream$/, 'SendStreamingMessage'],
  ['GET', /^tasks$/, 'ListTasks'],
  ['GET', /^tasks\/(?<id>[^/:]+)$/, 'GetTask'],
  ['POST', /^tasks\/(?<id>[^/:]+):cancel$/, 'CancelTask'],
  ['POST', /^tasks\/(?<id>[^/:]+):subscribe$/, 'SubscribeToTask'],
  // The specification's text has POST, its protocol file GET.
  ['GET', /^tasks\/(?<id>[^/:]+):subscribe$/, 'SubscribeToTask'],
  ['POST', /^tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs$/, 'CreateTaskPushNotificationConfig'],
  ['GET', /^tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs$/, 'ListTaskPushNotificationConfigs'],
  ['GET', /^tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs\/(?<id>[^/]+)$/, 'GetTaskPushNotificationConfig'],
  ['DELETE', /^tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs\/(?<id>[^/]+)$/, 'DeleteTaskPushNotificationConfig'],
  ['GET', /^extendedAgentCard$/, 'GetExtendedAgentCard'],
];

/** The call of HTTP+JSON that a request is, or what is wrong with it. */
export function readRestCall(request: FastifyRequest<{ Params: { '*': string } }>): Call | NoCall {
  try {
    const path = request.params['*'];
    const [, tenant, rest = path] = /^([^/:]+)\/((?:message:|tasks|extendedAgentCard).*)$/.exec(path) ?? [];
    for (const [http, pattern, name] of PATHS) {
      const found = http === request.method ? pattern.exec(rest) : null;
      const method = METHODS[name];
      if (found === null || method === undefined) continue;
      const params = { ...given(request), ...found.groups, ...(tenant !== undefined && { tenant }) };
      return { name, method, params, wire: WIRE };
    }
    const message = `is no path of A2A 1.0 (its section 11.3) with ${request.method}; they begin behind ${A2A_PATH}/`;
    throw LegworkError.field('not_found', 'path', message);
  } catch (error) {
    return { failure: failure(error) };
  }
}

const JSON_TYPES = /^application\/(a2a\+)?json\s*(;|$)/i;
const NUMBERS = new Set(['pageSize', 'historyLength']);

/** What a request says beside its path. @throws A2aError, LegworkError */
function given(request: FastifyRequest): object {
  if (request.method === 'POST') {
    const body = request.rawBody === undefined || request.rawBody.length === 0 ? {} : bodyIn(request, JSON_TYPES);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
    throw LegworkError.field('invalid_input', '', 'must be an object');
  }
  const query = Object.entries(request.query as Record<string, unknown>);
  return Object.fromEntries(query.map(([name, value]) => [name, typed(name, value)]));
}

/** What a query means, which has texts alone. */
function typed(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (NUMBERS.has(name) && /^-?\d{1,9}$/.test(value)) return Number(value);
  return name === 'includeArtifacts' && /^(true|false)$/.test(value) ? value === 'true' : value;
}
