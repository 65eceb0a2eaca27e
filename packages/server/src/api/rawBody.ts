import { isUtf8 } from 'node:buffer';
import { LegworkError } from '@legwork/protocol/contract';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as received: what the signature of a request covers. Undefined when there was none. */
    rawBody: Buffer | undefined;
  }
}

/** Most values that a body may hold, including those inside lists and objects. Rule S-6. */
const MAX_VALUES = 10_000;

const [QUOTE, COMMA, LIST, BACKSLASH, OBJECT] = Buffer.from('",[\\{');

/**
 * The text of a JSON body, before it is parsed. Refuses bytes that are not UTF-8, because decoding them loosely would make a
 * text that nobody sent, and more values than any operation takes: parsing and checking them would hold up everybody else.
 *
 * @throws LegworkError `malformed_body`, `invalid_input`
 */
export function readJsonText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new LegworkError('malformed_body', 'The body is not UTF-8 text; send JSON in UTF-8.');
  if (countValues(bytes) > MAX_VALUES) {
    throw LegworkError.field('invalid_input', '', `must hold at most ${MAX_VALUES} values, lists and objects included`);
  }
  return bytes.toString().replace(/^\uFEFF/, '');
}

/** Counts the values in JSON; an empty list or object counts twice. In UTF-8 no other character contains these bytes. */
function countValues(bytes: Buffer): number {
  let values = 1;
  let isInText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === LIST || byte === OBJECT) values += 1;
  }
  return values;
}

/** Takes only JSON bodies, and keeps their bytes. Refuses names that would reach an object's prototype. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('rawBody', undefined);
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    request.rawBody = bytes;
    if (bytes.length === 0) {
      done(null, undefined);
      return;
    }
    let text: string;
    try {
      text = readJsonText(bytes);
    } catch (error) {
      done(error as LegworkError);
      return;
    }
    // It reports through `done` and returns nothing.
    void parseJson(request, text, done);
  });
}

/** Keeps a body of any type as it came: its reader judges type and text, and the signature covers these bytes. */
export function keepAnyBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    request.rawBody = bytes;
    done(null, undefined);
  });
}
