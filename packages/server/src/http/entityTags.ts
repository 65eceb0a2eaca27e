import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

const TAG_CHARACTERS = 22;

/** Caches may keep the answer, and the refusal in its place, but must ask whether it still holds: it may change any moment. Rule S-63. */
export function askBeforeUse(reply: FastifyReply): void {
  reply.header('cache-control', 'no-cache');
}

/** The answer with its ETag, or 304 to a client that has it. Rule S-63. */
export function unlessKept(request: FastifyRequest, reply: FastifyReply, body: string): string | FastifyReply {
  const tag = entityTag(body, reply);
  reply.header('etag', tag);
  if (!isNamed(tag, request.headers['if-none-match'])) return body;
  return reply.code(304).removeHeader('content-type').send();
}

/** Of the text and its media type: the same text in another form is another answer. */
function entityTag(body: string, reply: FastifyReply): string {
  const digest = createHash('sha256')
    .update(`${String(reply.getHeader('content-type'))}\n`)
    .update(body);
  return `"${digest.digest('base64url').slice(0, TAG_CHARACTERS)}"`;
}

/** Whether the condition names the tag, as RFC 9110 has it compared: weak or not. */
function isNamed(tag: string, condition: string | undefined): boolean {
  if (condition?.trim() === '*') return true;
  const named: readonly string[] = condition?.match(/"[^"]*"/g) ?? [];
  return named.includes(tag);
}
