import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = string | number;

/** A span as it arrived. */
export interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, Value>;
  /** True if its status is an error. */
  isFault: boolean;
  /** Which service made it. */
  instance: Value | undefined;
}

interface Otlp {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<Span, 'attributes'> & { attributes: Attribute[]; status: { code: number } })[] }[];
  }[];
}
type Attribute = { key: string; value: { stringValue?: string; intValue?: number } };

const ERROR = 2;

const valuesOf = (attributes: Attribute[]): Record<string, Value> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

/** Takes OTLP over HTTP in JSON, as a collector does, unless it is told otherwise. */
export class Collector {
  readonly spans: Span[] = [];
  /** Requests that came, also those that it answered otherwise. */
  requests = 0;
  headers: IncomingHttpHeaders = {};
  /** Says something else than usual; undefined: what is usual. */
  answer: ((response: ServerResponse) => void) | undefined;
  url = '';
  readonly #server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      this.requests += 1;
      this.headers = request.headers;
      if (this.answer !== undefined) return this.answer(response);
      if (request.url !== '/v1/traces') return response.writeHead(404).end();
      this.#take(JSON.parse(body) as Otlp);
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    collector.url = `http://127.0.0.1:${(collector.#server.address() as AddressInfo).port}`;
    return collector;
  }

  #take({ resourceSpans }: Otlp): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const instance = valuesOf(resource.attributes)['service.instance.id'];
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { name, traceId, spanId, parentSpanId, status } = span;
        const attributes = valuesOf(span.attributes);
        const isFault = status.code === ERROR;
        this.spans.push({ name, traceId, spanId, parentSpanId, attributes, isFault, instance });
      }
    }
  }

  /** The spans of one trace, in the order of their names. */
  of(traceId: string): Span[] {
    return this.spans.filter((span) => span.traceId === traceId).sort((a, b) => a.name.localeCompare(b.name));
  }

  /** The steps above a span, from the nearest on. */
  above(span: Span): string[] {
    const parent = this.spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent === undefined ? [] : [parent.name, ...this.above(parent)];
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** A trace as a client begins one. */
export function newTrace(): { traceId: string; parentId: string; traceparent: string } {
  const [traceId, parentId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, parentId, traceparent: `00-${traceId}-${parentId}-01` };
}
