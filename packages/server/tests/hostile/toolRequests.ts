import { isTool, type Operation, operations } from '@legwork/protocol/contract';
import { toolManifest } from '../../src/mcp/manifest.js';
import type { ToolFailure } from '../../src/mcp/callTool.js';
import { loadTools } from '../../src/mcp/tools.js';
import { runs } from '../../src/operations/index.js';
import type { TestService } from '../support/service.js';
import type { JsonSchema } from './description.js';
import { leadingValues, sampleOf, type World } from './world.js';
import { type WrongValue, wrongValues } from './wrongValues.js';

/** The ways to call a tool. */
export const WAYS = ['/mcp/call', '/mcp'] as const;
export type Way = (typeof WAYS)[number];

/** A tool as a client knows it that reads nothing but the manifest. */
export interface DescribedTool {
  name: string;
  /** The operation behind it, which says what values lead somewhere. */
  operation: string;
  readOnly: boolean;
  properties: Record<string, JsonSchema>;
  required: string[];
}

/** Fields whose form the manifest leaves out, as it does every expression that knows of Unicode. */
const FORMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['title', 'description', 'reasoning', 'displayName', 'capabilities', 'instruction', 'q', 'capability'].map(
      (name) => [name, '^(?:[\\t\\n\\r]|\\P{Cc})*$'],
    ),
  ),
  result: '^[^\\0\\uD800-\\uDFFF]*$',
};

/** The schema of this field with its form put back, in lists and objects too. */
function withForm(name: string, schema: JsonSchema): JsonSchema {
  const { items, properties } = schema;
  const pattern = FORMS[name];
  return {
    ...schema,
    ...(items && { items: withForm(name, items) }),
    ...(properties && { properties: withForms(properties) }),
    ...(schema.type === 'string' && pattern !== undefined && { pattern }),
  };
}

function withForms(properties: DescribedTool['properties']): DescribedTool['properties'] {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, withForm(name, schema)]));
}

/** Every tool of the manifest. */
export const TOOLS: readonly DescribedTool[] = toolManifest(loadTools(runs), 'newcomers').tools.map(
  ({ name, inputSchema, annotations }) => {
    const named = Object.values<Operation>(operations).find(
      (operation) => isTool(operation) && operation.tool.name === name,
    );
    const { properties = {}, required = [] } = inputSchema as JsonSchema;
    return {
      name,
      operation: named?.name ?? '',
      readOnly: annotations?.readOnlyHint === true,
      properties: withForms(properties),
      required,
    };
  },
);

/** Arguments with their JSON texts, in which anything can be replaced by what no writer of JSON makes. */
export type RawArguments = readonly (readonly [name: string, raw: string])[];

/** An argument about a package with terms, on which only signed calls bid. */
const SIGNED_ONLY: ReadonlySet<string> = new Set(['svc_submit_bid legId']);

/** Arguments that the tool takes, all that it has. */
export function rightArguments(world: World, tool: DescribedTool): RawArguments {
  const values = leadingValues(world, tool.operation);
  return Object.entries(tool.properties).flatMap(([name, schema]) =>
    SIGNED_ONLY.has(`${tool.name} ${name}`) || (name in values && values[name] === undefined)
      ? []
      : [[name, JSON.stringify(name in values ? values[name] : sampleOf(schema))]],
  );
}

/** Everything that a tool's arguments can have wrong by its schema: a value, a field missing or a field too many. */
export function wrongArguments(world: World, tool: DescribedTool): { field: string; args: RawArguments }[] {
  const right = rightArguments(world, tool);
  const without = (name: string) => right.filter(([own]) => own !== name);
  const wrongs = Object.entries(tool.properties).flatMap(([name, schema]) => {
    const sample: unknown = JSON.parse(right.find(([own]) => own === name)?.[1] ?? 'null');
    return refusedValues(name, schema, sample).map(({ raw, at }) => ({
      field: `${name}${at}`,
      args: [...without(name), [name, raw] as const],
    }));
  });
  const surplus = ['constructor', 'colour', 'limit ', '\u202e'].map((field) => ({
    field,
    args: [...right, [field, '"1"'] as const],
  }));
  return [...wrongs, ...surplus, ...tool.required.map((field) => ({ field, args: without(field) }))];
}

/** Texts that are taken for what they say, as they travel in a query. */
const AS_IN_A_QUERY: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(['radiusKm', 'minPaySol', 'minPaySolPerKm', 'maxStakeSol'].map((name) => [name, /^"\d+"$/])),
  ...Object.fromEntries(['open', 'hasTerms'].map((name) => [name, /^"(?:true|false)"$/])),
};

function refusedValues(name: string, schema: JsonSchema, sample: unknown): WrongValue[] {
  return wrongValues(schema, sample).filter(({ raw }) => !AS_IN_A_QUERY[name]?.test(raw));
}

/** The text of the request that calls a tool. */
export function callText(way: Way, tool: string, args: RawArguments): string {
  const object = `{${args.map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(',')}}`;
  return way === '/mcp'
    ? `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${object}}}`
    : `{"tool":"${tool}","arguments":${object}}`;
}

/** How a call was answered. */
export interface Answered {
  status: number;
  /** Of a call that was understood as one. */
  isError: boolean | undefined;
  failure: Partial<ToolFailure>;
  /** The whole answer. */
  text: string;
}

interface Result {
  isError?: boolean;
  content?: { text: string }[];
}

/** Sends bytes to `/mcp/call` or `/mcp`. Fails when what comes back is not JSON, or a stream of it. */
export async function sendCall(
  { server }: TestService,
  way: Way,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(`${server.url}${way}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(way === '/mcp' && { 'mcp-protocol-version': '2025-06-18' }),
      ...headers,
    },
    body,
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const parsed = (data === '' ? {} : JSON.parse(data)) as Result & { result?: Result };
  const result = way === '/mcp' ? (parsed.result ?? {}) : parsed;
  const failure = result.isError === true ? (JSON.parse(result.content?.[0]?.text ?? '{}') as ToolFailure) : {};
  return { status: response.status, isError: result.isError, failure, text };
}

/** The complaints about the refusal of a call for this field; empty if it is right. */
export function complaintsOf({ status, isError, failure, text }: Answered, field: string): string[] {
  const named = (failure.errors ?? []).filter(({ message }) => message !== '').map((error) => error.field);
  return [
    ...(status === 200 && isError === true
      ? []
      : [`status ${status}, isError ${String(isError)}: ${text.slice(0, 200)}`]),
    ...(failure.code === 'invalid_input' ? [] : [`code ${String(failure.code)}`]),
    ...(failure.hint ? [] : ['no hint']),
    ...(named.includes(field) ? [] : [`names ${named.join(', ') || 'nothing'} instead of ${field}`]),
    ...(text.length < 20_000 ? [] : [`${text.length} characters`]),
  ];
}
