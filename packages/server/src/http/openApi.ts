import {
  type Auth,
  byteOperations,
  ERROR_CODES,
  type ErrorCode,
  type Format,
  HEADER_NONCE,
  HEADER_PUBKEY,
  HEADER_SIGNATURE,
  JSON_FORMAT,
  type Operation,
  operations,
  problemExtension,
  refusalsOf,
  SIGNED_REQUEST_DOMAIN,
} from '@legwork/protocol/contract';
import { z } from 'zod';
import { HEADER_IDEMPOTENCY_KEY } from '../api/idempotency.js';
import { HEADER_ADMIN_KEY, HEADER_API_KEY } from '../api/operatorKeys.js';
import { WIRE } from '../api/parseInput.js';
import { formsOf } from './representation.js';
import { capital, nameSharedViews, type Registry } from './sharedViews.js';

type Json = Record<string, unknown>;

const SCHEMAS = '#/components/schemas/';

const SIGNING = [
  'Three headers sign a request: X-Pubkey (base58 Ed25519 key), X-Nonce (`<unix milliseconds>-<8 to 64 letters and digits>`),',
  'X-Signature (base58 or base64 of 64 bytes). The signature is over six lines joined by line feeds:',
  `\`${SIGNED_REQUEST_DOMAIN}\`, the method, the host, the path with its query as sent, the nonce, and the sha256 (hex) of the raw body.`,
  'The nonce must be within 60 seconds of the clock of the service and is accepted once per key.',
].join(' ');

const SIGNED = { pubkey: [], nonce: [], signature: [] };
/** One of them is enough; `{}` means no credentials. */
const SECURITY: Record<Auth, Json[]> = {
  open: [],
  signable: [{}, SIGNED],
  signed: [SIGNED],
  key: [{}, { apiKey: [] }, SIGNED],
  admin: [{ adminKey: [] }],
};

const IDEMPOTENCY_KEY = {
  name: HEADER_IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'Your name for this request: repeated within 24 hours with the same body, it is answered as the first time.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const CONTENT_DIGEST = {
  name: 'Content-Digest',
  in: 'header',
  required: true,
  description:
    'RFC 9530: `sha-256=:<sha256 of the body in base64>:`. The signature is checked with it before the body is read.',
  schema: { type: 'string' },
};

const RANGE = {
  name: 'Range',
  in: 'header',
  required: false,
  description: 'One range of bytes, such as `bytes=1048576-`; it is answered with 206.',
  schema: { type: 'string' },
};

let described: { readonly paths: Record<string, Json>; readonly schemas: Json } | undefined;

/**
 * The OpenAPI 3.1 description of every operation, made from the contracts. It shows requests and answers in their wire form:
 * lamports are integers, instants are ISO 8601 text.
 */
export function openApiDocument(about: { publicUrl: string; version: string }): Json {
  // The contracts stay as they are: services that start in one process share what is said of them.
  described ??= describeContracts();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Legwork',
      version: about.version,
      description:
        'Where software agents find work, relay it leg by leg, and are paid from on-chain escrow. ' +
        'Amounts are integers in lamports (1 SOL = 1,000,000,000 lamports), instants ISO 8601 in UTC, coordinates WGS 84 degrees. ' +
        'Events arrive over the WebSocket at /ws. Models get the same as tools: over MCP at /mcp, or with POST /mcp/call (GET /mcp/tools lists them).',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.publicUrl }],
    tags: [...new Set(Object.values(operations).map((contract) => contract.tag))].map((name) => ({ name })),
    paths: described.paths,
    components: { schemas: described.schemas, securitySchemes: securitySchemes() },
  };
}

function describeContracts(): NonNullable<typeof described> {
  const registry: Registry = z.registry();
  nameSharedViews(registry);
  const paths: Record<string, Json> = {};
  for (const contract of Object.values<Operation>({ ...operations, ...byteOperations })) {
    const path = contract.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: describeOperation(contract, registry) };
  }
  return { paths, schemas: { ...jsonSchemas(registry), Problem: problemSchema() } };
}

function describeOperation(contract: Operation, registry: Registry): Json {
  return {
    operationId: contract.name,
    tags: [contract.tag],
    summary: contract.summary,
    description: contract.description,
    parameters: [
      ...parameters(contract.params, 'path'),
      ...parameters(contract.query, 'query'),
      ...(contract.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
      ...(contract.bytes === 'sent' ? [CONTENT_DIGEST] : []),
      ...(contract.bytes === 'answered' ? [RANGE] : []),
    ],
    ...requestBody(contract, registry),
    security: SECURITY[contract.auth],
    responses: {
      [contract.status]: success(contract, registry),
      ...(contract.kept && { 304: { description: 'The answer is still the one with the ETag of If-None-Match.' } }),
      ...problemAnswers(refusalsOf(contract)),
      default: problemAnswer('Any other refusal; `code` says which.'),
    },
  };
}

/** Bytes as they are. */
const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

function requestBody({ body, bytes, name, example }: Operation, registry: Registry): Json {
  if (bytes === 'sent') return { requestBody: { required: true, content: BYTES } };
  if (body === undefined) return {};
  return { requestBody: { required: true, content: json(refTo(body, `${capital(name)}Body`, registry), example) } };
}

function success(contract: Operation, registry: Registry): Json {
  if (contract.bytes === 'answered') return { description: contract.summary, content: BYTES };
  const link = {
    description: 'The next page as `<?cursor=…>; rel="next"`, relative to this request; absent on the last page.',
    schema: { type: 'string' },
  };
  const tag = { description: 'Names this very answer: send it as If-None-Match.', schema: { type: 'string' } };
  const headers = { ...(contract.paged && { Link: link }), ...(contract.kept && { ETag: tag }) };
  const answer = refTo(contract.answer, `${capital(contract.name)}Answer`, registry);
  return {
    description: contract.summary,
    ...(Object.keys(headers).length > 0 && { headers }),
    content: Object.fromEntries(
      formsOf(contract).map((form) => [form.type, { schema: schemaOf(form, answer, contract, registry) }]),
    ),
  };
}

/** The schema of an answer in this form; a form that is not JSON is text. */
function schemaOf(form: Format, answer: Json, contract: Operation, registry: Registry): Json {
  if (form === JSON_FORMAT || form.schema === contract.answer) return answer;
  if (form.schema === undefined) return { type: 'string' };
  return refTo(form.schema, `${capital(contract.name)}Form`, registry);
}

/** For each status, the codes that come with it. */
function problemAnswers(codes: readonly ErrorCode[]): Json {
  const answers = new Map<number, Json>();
  for (const code of codes) {
    const { status, title } = ERROR_CODES[code];
    if (answers.has(status)) continue;
    const told = codes.filter((one) => ERROR_CODES[one].status === status);
    const description = told.map((one) => `\`${one}\`: ${ERROR_CODES[one].title}.`).join(' ');
    const example = { type: 'about:blank', title, status, detail: `${title}.`, code, errors: [] };
    answers.set(status, problemAnswer(description, example));
  }
  return Object.fromEntries(answers);
}

function problemAnswer(description: string, example?: Json): Json {
  return {
    description,
    content: { 'application/problem+json': { schema: { $ref: `${SCHEMAS}Problem` }, ...(example && { example }) } },
  };
}

function problemSchema(): Json {
  const text = { type: 'string' };
  const fieldError = { type: 'object', required: ['field', 'message'], properties: { field: text, message: text } };
  return {
    type: 'object',
    description: 'RFC 9457. Programs look at `code`; `detail` tells people what was wrong and what would be right.',
    required: ['type', 'title', 'status', 'detail', 'code', 'errors'],
    properties: {
      type: { const: 'about:blank' },
      title: text,
      status: { type: 'integer' },
      detail: text,
      code: { enum: Object.keys(ERROR_CODES) },
      errors: { type: 'array', description: 'the wrong fields, as dotted paths', items: fieldError },
      ...z.toJSONSchema(problemExtension, WIRE).properties,
    },
  };
}

/** How callers prove who they are, as OpenAPI describes it. */
export function securitySchemes() {
  const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
  return {
    pubkey: header(HEADER_PUBKEY, SIGNING),
    nonce: header(HEADER_NONCE, SIGNING),
    signature: header(HEADER_SIGNATURE, SIGNING),
    apiKey: header(HEADER_API_KEY, 'A key of the operator; needed where the service has keys configured.'),
    adminKey: header(HEADER_ADMIN_KEY, "The operator's key."),
  };
}

function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, WIRE);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...shown } = property as Json;
    // The description goes beside the schema, where pages show it.
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description ? { description } : {}),
      schema: shown,
    };
  });
}

function refTo(schema: z.ZodType, id: string, registry: Registry): Json {
  const named = registry.get(schema)?.id;
  if (named === undefined) registry.add(schema, { id });
  return { $ref: `${SCHEMAS}${named ?? id}` };
}

function jsonSchemas(registry: Registry): Json {
  const { schemas } = z.toJSONSchema(registry, { ...WIRE, uri: (id) => `${SCHEMAS}${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _uri, id: _name, ...schema }]) => [id, schema]),
  );
}

function json(schema: Json, example: unknown): Json {
  return { 'application/json': { schema, example } };
}
