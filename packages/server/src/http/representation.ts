import { createHash } from 'node:crypto';
import { type Format, JSON_FORMAT, type Operation } from '@legwork/protocol/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { toRelayError } from '../api/problems.js';

/** The forms of an operation's answer; the first is for clients that accept anything. */
export function formsOf({ formats }: Pick<Operation, 'formats'>): readonly Format[] {
  return formats.some(({ type }) => type === JSON_FORMAT.type) ? formats : [...formats, JSON_FORMAT];
}

/** The form that the client likes best. One that accepts none of them gets the first: it may still make something of it. Rule S-64. */
export function chooseForm(contract: Pick<Operation, 'formats'>, accept: string | undefined): Format {
  const forms = formsOf(contract);
  if (forms.length === 1 || accept === undefined) return forms[0] ?? JSON_FORMAT;
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(forms.map(({ type }) => type));
  return forms.find(({ type }) => type === best) ?? forms[0] ?? JSON_FORMAT;
}

/** Tells caches that another client may get another form. */
export function varyByAccept(reply: FastifyReply): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? 'Accept' : `${String(others)}, Accept`);
}

/** The value of content-type: text and what is named as JSON says its encoding, as all JSON here does. */
export function contentType({ type }: Format): string {
  return /^text\/|json$/.test(type) ? `${type}; charset=utf-8` : type;
}

/** Refuses input in the form that the client asked for, where that has one for refusals; everything else as always. */
export function refuseInForm(contract: Operation) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const form = chooseForm(contract, request.headers.accept);
    const shown = toRelayError(error, contract.bodyLimit);
    if (form.writeRefusal === undefined || shown.status !== 400) {
      // Sent from here, an error goes on to the handler of all routes.
      reply.send(error);
      return;
    }
    reply.code(shown.status).header('content-type', contentType(form)).send(form.writeRefusal(shown));
  };
}

const TAG_CHARACTERS = 22;

/** Caches may keep the answer, and the refusal in its place, but must ask whether it still holds: it may change any moment. */
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
