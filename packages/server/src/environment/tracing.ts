import { z } from 'zod';

/** Where spans go. */
const collector = z.url({ protocol: /^https?$/, error: 'must be an address such as http://localhost:4318' });
const HEADER = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/;
const VISIBLE = /^[\t -~]*$/;

/** A header as OpenTelemetry writes one; undefined: it is none. */
function readHeader(part: string): [name: string, value: string] | undefined {
  const [, name = '', encoded = ''] = HEADER.exec(part) ?? [];
  try {
    const value = decodeURIComponent(encoded);
    return name !== '' && VISIBLE.test(value) ? [name, value] : undefined;
  } catch {
    return undefined;
  }
}

/** Which requests are traced, and who is told. */
export const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector
    .optional()
    .describe(
      'Address of an OpenTelemetry collector that takes OTLP over HTTP, such as http://localhost:4318; /v1/traces is added to it. Without ' +
        'it and the next one nothing is traced.',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector
    .optional()
    .describe('The whole address that spans are posted to, in place of the one before.'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((part) => part.trim() !== ''))
    .transform((parts) => parts.map(readHeader))
    .refine((headers) => headers.every((header) => header !== undefined), {
      error: 'must be name=value with commas between them, values percent-encoded',
    })
    .transform((headers) => Object.fromEntries(headers.flatMap((header) => (header ? [header] : []))))
    .describe('Headers for the collector, name=value with commas, the values percent-encoded: where it wants a key.'),
  OTEL_SERVICE_NAME: z.string().min(1).default('legwork').describe('The name of the service in its spans.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      'Share of the traces that begin here that is recorded, 0 to 1. Of a trace that a client began, the client says whether it is.',
    ),
};
