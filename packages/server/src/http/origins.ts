import cors from '@fastify/cors';
import { HEADER_NONCE, HEADER_PUBKEY, HEADER_SIGNATURE, LegworkError } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { servedHosts } from '../api/addresses.js';
import { HEADER_IDEMPOTENCY_KEY, HEADER_REPLAYED } from '../api/idempotency.js';
import { HEADER_API_KEY } from '../api/operatorKeys.js';
import { ALLOWANCE_HEADERS } from '../api/limits.js';
import type { AppContext } from '../context.js';

const READING = ['GET', 'HEAD'];
const ALL = [...READING, 'POST', 'PUT', 'PATCH', 'DELETE'];
const SENT = [
  'content-type',
  'content-digest',
  'range',
  HEADER_PUBKEY,
  HEADER_NONCE,
  HEADER_SIGNATURE,
  HEADER_IDEMPOTENCY_KEY,
  HEADER_API_KEY,
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Mcp-Method',
  'Mcp-Name',
  'A2A-Version',
  'A2A-Extensions',
  'Last-Event-ID',
];
const SHOWN = ['Link', 'Mcp-Session-Id', 'Retry-After', ...ALLOWANCE_HEADERS, HEADER_REPLAYED];

/** Lets every page read, and pages of the configured origins and of the service itself write. Rule S-9. */
export async function admitOrigins(app: FastifyInstance, context: AppContext): Promise<void> {
  const allowed = new Set(context.config.corsOrigins);
  await app.register(cors, {
    delegator: (request: FastifyRequest, done) => {
      const { origin } = request.headers;
      const writer = origin !== undefined && allowed.has(origin);
      const reads = READING.includes(asked(request));
      done(null, {
        origin: reads || !writer ? '*' : origin,
        methods: writer ? ALL : READING,
        allowedHeaders: SENT,
        exposedHeaders: SHOWN,
        maxAge: 600,
        strictPreflight: false,
      });
    },
  });
  app.addHook('onRequest', async (request) => {
    const { origin } = request.headers;
    if (origin === undefined || READING.includes(request.method) || request.method === 'OPTIONS') return;
    if (!allowed.has(origin) && !isOwn(context, request, origin)) {
      const message = `Pages of ${origin} may read here, not write; the operator of this service can allow them to.`;
      throw new LegworkError('foreign_origin', message);
    }
  });
}

/** The method that matters: a preflight asks about another request. */
function asked({ method, headers }: FastifyRequest): string {
  return method === 'OPTIONS' ? (headers['access-control-request-method'] ?? 'GET') : method;
}

function isOwn(context: AppContext, { raw }: FastifyRequest, origin: string): boolean {
  return URL.canParse(origin) && servedHosts(context, raw.socket.localPort).includes(new URL(origin).host);
}
