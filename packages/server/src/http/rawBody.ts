import { RelayError } from '@agent-relay/protocol';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as received: what the signature of a request covers. Undefined when there was none. */
    rawBody: Buffer | undefined;
  }
}

/**
 * Takes JSON bodies only, and keeps their bytes. Names that would reach an object's prototype are refused, and so are
 * bytes that are not UTF-8: decoding them loosely would make a text that nobody sent.
 */
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
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      done(new RelayError('malformed_body', 'The body is not UTF-8 text; send JSON in UTF-8.'));
      return;
    }
    // It answers through `done` and gives nothing back.
    void parseJson(request, text, done);
  });
}
