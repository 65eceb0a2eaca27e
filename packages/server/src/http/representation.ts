import { createHash } from 'node:crypto';
import { type Format, JSON_FORMAT, type Operation } from '@legwork/protocol/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { toLegworkError } from '../api/problems.js';

/** The forms of an operation's answer; the first is for clients that accept anything. */
export function formsOf({ formats }: Pick<Operation, 'formats'>): readonly Format[] {
  return formats.some(({ type }) => type === JSON_FORMAT.type) ? formats : [...formats, JSON_FORMAT];
}

/** The form that the client prefers. A client that accepts none gets the first: it may still be able to use it. Rule S-64. */
export function chooseForm(contract: Pick<Operation, 'formats'>, accept: string | undefined): Format {
  const forms = formsOf(contract);
  if (forms.length === 1 || accept === undefined) return forms[0] ?? JSON_FORMAT;
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(forms.map(({ type }) => type));
  return forms.find(({ type }) => type === best) ?? forms[0] ?? JSON_FORMAT;
}

/** Lets caches know that another client may get another form. */
export function varyByAccept(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? 'Accept' : `${String(others)}, Accept`);
}

/** The value of content-type: text and every kind of JSON state their encoding. */
export function contentType({ type }: Format): string {
  return /^text\/|json$/.test(type) ? `${type}; charset=utf-8` : type;
}

/** Refuses input in the form that the client asked for, if that form has one for refusals; else as a problem document. Rule S-63. */
export function refuseInForm(contract: Operation) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const form = chooseForm(contract, request.headers.accept);
    const shown = toLegworkError(error, contract.bodyLimit);
    if (form.writeRefusal === undefined || shown.status !== 400) {
      // An error sent from here reaches the handler of all routes.
      reply.send(error);
      return;
    }
    reply.code(shown.status).header('content-type', contentType(form)).send(form.writeRefusal(shown));
  };
}

const TAG_CHARACTERS = 22;

/** Caches may keep the answer, or a refusal in its place, but must ask whether it still holds: it may change at any moment. */
export function askBeforeUse(reply: FastifyReply): void {
  reply.header('cache-control', 'no-cache');
}

/** The answer with its ETag, or 304 for a client that has it. */
export function unlessKept(request: FastifyRequest, reply: FastifyReply, body: string): string | FastifyReply {
  const tag = entityTag(body, reply);
  reply.header('etag', tag);
  if (!isNamed(tag, request.headers['if-none-match'])) return body;
  return reply.code(304).removeHeader('content-type').send();
}

/** Covers the text and its media type: the same text in another form is another answer. */
function entityTag(body: string, reply: FastifyReply): string {
  const digest = createHash('sha256')
    .update(`${String(reply.getHeader('content-type'))}\n`)
    .update(body);
  return `"${digest.digest('base64url').slice(0, TAG_CHARACTERS)}"`;
}

/** Returns whether the condition names the tag, weak or not, by the weak comparison of RFC 9110. */
function isNamed(tag: string, condition: string | undefined): boolean {
  if (condition?.trim() === '*') return true;
  const named: readonly string[] = condition?.match(/"[^"]*"/g) ?? [];
  return named.includes(tag);
}
