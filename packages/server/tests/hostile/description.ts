/** The JSON Schema keywords that descriptions of requests use. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  /** Forms of which one is enough. */
  anyOf?: JsonSchema[];
  /** Not of JSON Schema: null is taken as well, which descriptions say by "any of this and null". */
  nullable?: boolean;
}

export type Place = 'path' | 'query' | 'body';

/** A field of a request, wherever it travels. */
export interface Field {
  place: Place;
  name: string;
  required: boolean;
  schema: JsonSchema;
}

/** An operation as a client knows it that reads nothing but the description. */
export interface Described {
  name: string;
  method: string;
  /** With `{name}` for its parameters. */
  path: string;
  signed: boolean;
  /** For the operator. */
  isAdmins: boolean;
  takesBody: boolean;
  fields: Field[];
  /** HTTP status of success. */
  success: number;
}

interface Media {
  content: Record<string, { schema: JsonSchema }>;
}

interface DescribedOperation {
  operationId: string;
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: JsonSchema }[];
  requestBody?: Media;
  /** One of them is enough; an empty one is nothing at all. */
  security: object[];
  responses: Record<string, unknown>;
}

interface OpenApi {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

/** Every operation of an OpenAPI document that speaks JSON; those that carry bytes have attacks of their own. */
export function describedOperations(document: unknown): Described[] {
  const { paths, components } = document as OpenApi;
  const resolve = (schema: JsonSchema): JsonSchema => {
    const named = schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? ''];
    if (named === undefined) throw new Error(`the document has no ${schema.$ref}`);
    const [own, none] = named.anyOf ?? [];
    if (own !== undefined && none?.type === 'null') return { ...resolve(own), nullable: true };
    return {
      ...named,
      ...(named.anyOf && { anyOf: named.anyOf.map(resolve) }),
      ...(named.items && { items: resolve(named.items) }),
      ...(named.properties && {
        properties: Object.fromEntries(Object.entries(named.properties).map(([name, inner]) => [name, resolve(inner)])),
      }),
    };
  };
  const bodyOf = (operation: DescribedOperation): JsonSchema =>
    resolve(operation.requestBody?.content['application/json']?.schema ?? {});
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(speaksJson)
      .map(([method, operation]) => {
        const { properties = {}, required = [] } = bodyOf(operation);
        return {
          name: operation.operationId,
          method: method.toUpperCase(),
          path,
          signed: operation.security.length > 0 && operation.security.every((one) => 'signature' in one),
          isAdmins: operation.security.some((one) => 'adminKey' in one),
          takesBody: operation.requestBody !== undefined,
          fields: [
            ...operation.parameters.flatMap(({ in: place, name, required: needed, schema }) =>
              place === 'header' ? [] : [{ place, name, required: needed, schema: resolve(schema) }],
            ),
            ...Object.entries(properties).map(([name, schema]) => ({
              place: 'body' as const,
              name,
              required: required.includes(name),
              schema,
            })),
          ],
          success: Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
        };
      }),
  );
}

function speaksJson([, { requestBody, responses }]: [string, DescribedOperation]): boolean {
  const media = [requestBody, ...Object.values(responses)] as (Partial<Media> | undefined)[];
  return !media.some((one) => one?.content && 'application/octet-stream' in one.content);
}

/** True if a text has the form that a string's schema says, its format left aside. Lengths count characters. */
export function fits(schema: JsonSchema, text: string): boolean {
  const length = Array.from(text).length;
  return (
    length >= (schema.minLength ?? 0) &&
    length <= (schema.maxLength ?? Infinity) &&
    (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text)) &&
    (schema.enum === undefined || schema.enum.includes(text))
  );
}

/** The types that values of the schema have. */
export function kindsOf({ type, anyOf = [] }: JsonSchema): string[] {
  return type === undefined ? anyOf.flatMap(kindsOf) : [type];
}

/** True if a string is for people to write what they like in, rather than an id, a key, a date or a token. */
export function isFreeText(schema: JsonSchema): boolean {
  return (
    schema.type === 'string' &&
    schema.format === undefined &&
    schema.pattern !== undefined &&
    new RegExp(schema.pattern, 'u').test('any <b>words</b>')
  );
}
