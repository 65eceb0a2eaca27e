import { randomUUID } from 'node:crypto';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Metrics } from '../metrics/metrics.js';
import { SERVICE_VERSION } from '../version.js';
import { within } from '../waiting.js';
import type { Span, Start, Tracing } from './spans.js';

/** Ended spans that wait to be sent; what comes on top is dropped. */
const MOST_WAITING = 2048;
/** So many go together, or as many as there are after so long, milliseconds. */
const BATCH = 512;
const BATCH_MS = 1_000;
/** How long one batch may take, milliseconds. */
const SEND_WITHIN_MS = 5_000;
/** How long a service that stops waits for its last spans, milliseconds. */
const CLOSE_WITHIN_MS = 2_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

type Counted = Pick<Metrics, 'spans'>;

/**
 * Sends spans to a collector by OTLP over HTTP, in JSON, behind the work that they tell of: nothing waits for it. Rules S-270, S-273.
 *
 * @param metrics where sent and dropped spans are counted
 */
export function openTracing(config: NonNullable<Config['tracing']>, log: Logger, metrics: Counted): Tracing {
  const exporter = new CountingExporter(config, log, metrics);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.serviceName,
      'service.version': SERVICE_VERSION,
      // Tells the replicas apart.
      'service.instance.id': randomUUID(),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.ratio) }),
    spanProcessors: [boundedProcessor(exporter, metrics)],
  });
  const tracer = provider.getTracer('legwork', SERVICE_VERSION);
  const propagator = new W3CTraceContextPropagator();
  return {
    begin: (start, above) => begin(tracer, start, above instanceof Kept ? above.context : remote(propagator, start)),
    close: () => within(CLOSE_WITHIN_MS, provider.shutdown()).catch(() => undefined),
  };
}

function remote(propagator: W3CTraceContextPropagator, { from }: Start): Context {
  return from === undefined ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, from, defaultTextMapGetter);
}

function begin(tracer: Tracer, { name, kind, attributes = {} }: Start, above: Context): Span {
  const options = { ...(kind && { kind: KINDS[kind] }), attributes: { ...attributes } };
  const span = tracer.startSpan(name, options, above);
  return new Kept(span, trace.setSpan(ROOT_CONTEXT, span));
}

class Kept implements Span {
  readonly #span: OtelSpan;
  /** For the spans below it. */
  readonly context: Context;

  constructor(span: OtelSpan, context: Context) {
    this.#span = span;
    this.context = context;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
  }

  set: Span['set'] = (attributes) => this.#span.setAttributes({ ...attributes });

  fail: Span['fail'] = (type, isFault) => {
    this.#span.setAttribute('error.type', type);
    if (isFault) this.#span.setStatus({ code: SpanStatusCode.ERROR });
  };

  end: Span['end'] = () => this.#span.end();
}

/** Hands ended spans to a batch as long as there is room, and counts those for which there is none. */
function boundedProcessor(exporter: CountingExporter, { spans }: Counted): SpanProcessor {
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MOST_WAITING,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: BATCH_MS,
    exportTimeoutMillis: SEND_WITHIN_MS,
  });
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      if ((span.spanContext().traceFlags & 1) === 0) return;
      if (exporter.waiting >= MOST_WAITING) return spans.inc({ outcome: 'no_room' });
      exporter.waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

class CountingExporter implements SpanExporter {
  /** Spans that were ended and are in no batch that was sent. */
  waiting = 0;
  readonly #to: OTLPTraceExporter;
  readonly #log: Logger;
  readonly #spans: Counted['spans'];
  #isFailing = false;

  constructor({ url, headers }: NonNullable<Config['tracing']>, log: Logger, { spans }: Counted) {
    this.#to = new OTLPTraceExporter({ url, headers, timeoutMillis: SEND_WITHIN_MS });
    this.#log = log;
    this.#spans = spans;
  }

  export(batch: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#to.export(batch, (result) => {
      // Until then they are memory.
      this.waiting -= batch.length;
      const isSent = result.code === ExportResultCode.SUCCESS;
      this.#spans.inc({ outcome: isSent ? 'sent' : 'refused' }, batch.length);
      this.#tell(isSent);
      done(result);
    });
  }

  /** Once when it begins to fail, and once when it is over. */
  #tell(isSent: boolean): void {
    if (isSent !== this.#isFailing) return;
    this.#isFailing = !isSent;
    if (isSent) this.#log.info('the collector takes spans again');
    else this.#log.warn('the collector takes no spans; they are dropped, and nothing else waits for it');
  }

  shutdown(): Promise<void> {
    return this.#to.shutdown();
  }
}
