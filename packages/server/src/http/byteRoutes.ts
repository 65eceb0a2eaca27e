import { Readable } from 'node:stream';
import { byteOperations, type Operation, LegworkError } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admit, identify } from '../api/identity.js';
import { parseInput } from '../api/parseInput.js';
import { tellAllowance } from '../api/limits.js';
import type { AppContext } from '../context.js';
import { getArtifact, type ReadableArtifact } from '../artifacts/upload.js';
import { putArtifactPart } from '../artifacts/putPart.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '../artifacts/store.js';

/** A download of which nothing moves for so long is ended, milliseconds. */
const IDLE_MS = 30_000;

/** Routes of the operations whose body or answer is a stream of bytes. Rules M-79, M-82. */
export async function routeBytes(app: FastifyInstance, context: AppContext): Promise<void> {
  await app.register(async (bytes) => {
    bytes.removeAllContentTypeParsers();
    // As it comes: nothing of it is read before the signature was found good.
    bytes.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    routePart(bytes, context);
    routeDownload(bytes, context);
  });
}

/** The caller and the input, as far as they are known before a body is read. */
async function receive(
  context: AppContext,
  contract: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  bodySha256?: string,
) {
  const identity = identify(context, request, contract.auth, bodySha256);
  const input = parseInput(contract, { params: request.params, query: request.query, body: undefined });
  tellAllowance(reply, await admit(context, identity, contract, input));
  return { input, caller: { pubkey: identity.signer?.pubkey, ip: identity.ip } };
}

function routePart(app: FastifyInstance, context: AppContext): void {
  const contract = byteOperations.putArtifactPart;
  app.route({
    method: contract.method,
    url: contract.path,
    config: { limit: contract.limit },
    handler: async (request, reply) => {
      const sha256 = declaredDigest(request.headers['content-digest']);
      const { input, caller } = await receive(context, contract, request, reply, sha256);
      const bytes = Number(request.headers['content-length'] ?? Number.NaN);
      const sent = { bytes, sha256, content: request.raw };
      return putArtifactPart(context, input as Parameters<typeof putArtifactPart>[1], caller, sent);
    },
  });
}

function routeDownload(app: FastifyInstance, context: AppContext): void {
  const contract = byteOperations.getArtifact;
  app.route({
    method: contract.method,
    url: contract.path,
    config: { limit: contract.limit },
    handler: async (request, reply) => {
      const { input, caller } = await receive(context, contract, request, reply);
      const artifact = await getArtifact(context, input as Parameters<typeof getArtifact>[1], caller);
      return sendArtifact(request, reply, artifact);
    },
  });
}

/** Nobody's browser renders it, whatever it is. */
const NEVER_SHOWN = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
} as const;

async function sendArtifact(
  request: FastifyRequest,
  reply: FastifyReply,
  artifact: ReadableArtifact,
): Promise<FastifyReply> {
  const { sha256, bytes, name, contentType } = artifact;
  const etag = `"${sha256}"`;
  const range = bytesAsked(request.headers, bytes, etag);
  reply.headers({
    ...NEVER_SHOWN,
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'no-cache',
    'content-disposition': attachment(name ?? sha256),
  });
  if (range === 'none') {
    reply.header('content-range', `bytes */${bytes}`);
    throw new LegworkError('range_not_satisfiable', `The file has ${bytes} bytes, numbered from 0.`);
  }
  const { first, last } = range ?? { first: 0, last: bytes - 1 };
  reply.header('content-type', contentType ?? 'application/octet-stream').header('content-length', last - first + 1);
  if (range) reply.code(206).header('content-range', `bytes ${first}-${last}/${bytes}`);
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const { content, end } = await artifact.open({ first, last });
  reply.raw.setTimeout(IDLE_MS, () => reply.raw.destroy());
  reply.raw.once('close', () => {
    end();
    content.destroy();
  });
  return reply.send(content);
}

const DIGEST = /(?:^|[\s,])sha-256=:([A-Za-z0-9+/]{43}=):(?:$|[\s,])/;

/** The sha256 of the body that comes, hex, as Content-Digest (RFC 9530) says. @throws LegworkError `invalid_input` */
function declaredDigest(header: string | readonly string[] | undefined): string {
  const [, base64] = DIGEST.exec(String(header ?? '')) ?? [];
  if (base64 !== undefined) return Buffer.from(base64, 'base64').toString('hex');
  throw LegworkError.field('invalid_input', 'Content-Digest', 'must be sha-256=:<sha256 of the body in base64>:');
}

/** Content-Disposition (RFC 6266) that has the file saved under its name. Old clients see ASCII, `_` in place of the rest. */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The one range that a request asks for; undefined: all of it, also for several ranges, for what is no range, and where If-Range
 * names another file (RFC 9110). `none`: the file has no such bytes.
 */
function bytesAsked(
  { range, 'if-range': ifRange }: IncomingHttpHeaders,
  bytes: number,
  etag: string,
): ByteRange | 'none' | undefined {
  const [, from, to] = RANGE.exec(range ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (from !== '' && to !== '' && Number(to) < first) return undefined;
  return first > last ? 'none' : { first, last };
}
