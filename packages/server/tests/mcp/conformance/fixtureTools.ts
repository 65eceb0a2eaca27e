import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type Tool,
} from '@modelcontextprotocol/server';
import type { Asked } from '../../../src/mcp/mcpServer.js';

type Given = Readonly<Record<string, unknown>>;
type Answer = CallToolResult | InputRequiredResult;

/** A tool that the suite calls by name; its answers are those that the suite's own descriptions ask for. */
export interface FixtureTool {
  inputSchema?: Tool['inputSchema'];
  call: (given: Given, asked: Asked) => Answer | Promise<Answer>;
}

/** One red pixel, and a sound without samples. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

export const saying = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

type Field = { type: 'string' } | { type: 'boolean' };

/** Asks the person before the client for one field. */
export const dialog = (message: string, field: string, answer: Field = { type: 'string' }) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: answer }, required: [field] },
  });

const sample = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });

/** What comes back from a client is believed only with our own stamp on it. */
const states = createRequestStateCodec<string>({ key: createHash('sha256').update('fixture').digest() });

async function stateOf({ mcp }: Asked): Promise<string | undefined> {
  const state = mcp.requestState<string>();
  if (state === undefined) return undefined;
  return states.verify(state, { mcpReq: mcp }).catch(() => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState is not one that was given out.');
  });
}

/** A tool that asks for this first, and answers with what came. */
const asking =
  (key: string, request: ReturnType<typeof dialog>, answer: (came: unknown) => string): FixtureTool['call'] =>
  (_, { mcp: { inputResponses } }) => {
    const came = inputResponse(inputResponses, key);
    if (came.kind === 'missing') return inputRequired({ inputRequests: { [key]: request } });
    return saying(answer(inputResponses?.[key]));
  };

/** The same with a state that the client carries from one round to the next. */
const stateful: FixtureTool['call'] = async (_, asked) => {
  const state = await stateOf(asked);
  const { ok } = acceptedContent<{ ok?: boolean }>(asked.mcp.inputResponses, 'confirm') ?? {};
  if (state === 'asked' && ok !== undefined) return saying('state-ok');
  const inputRequests = { confirm: dialog('Please confirm', 'ok', { type: 'boolean' }) };
  return inputRequired({ inputRequests, requestState: await states.mint('asked') });
};

const multiRound: FixtureTool['call'] = async (_, asked) => {
  const state = await stateOf(asked);
  const [name, color] = [
    acceptedContent<{ name: string }>(asked.mcp.inputResponses, 'step1'),
    acceptedContent<{ color: string }>(asked.mcp.inputResponses, 'step2'),
  ];
  if (state !== undefined && color) return saying(`${state} likes ${color.color}.`);
  const asks = name
    ? { step2: dialog('Step 2: What is your favorite color?', 'color') }
    : { step1: dialog('Step 1: What is your name?', 'name') };
  return inputRequired({ inputRequests: asks, requestState: await states.mint(name?.name ?? 'nobody') });
};

const ALL = {
  user_name: dialog('What is your name?', 'name'),
  greeting: sample('Generate a greeting', 50),
  client_roots: inputRequired.listRoots(),
};

const severalAtOnce: FixtureTool['call'] = async (_, asked) => {
  const state = await stateOf(asked);
  const isComplete = Object.keys(ALL).every((key) => inputResponse(asked.mcp.inputResponses, key).kind !== 'missing');
  if (state !== undefined && isComplete) return saying('All of it came.');
  return inputRequired({ inputRequests: ALL, requestState: await states.mint('asked') });
};

/** Asks only for what the client can do. */
const within: FixtureTool['call'] = (_, { mcp }) => {
  const envelope = mcp.envelope as Readonly<Record<string, Given>> | undefined;
  const can = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
  const { user_name, greeting } = ALL;
  return inputRequired({
    inputRequests: { ...('elicitation' in can && { user_name }), ...('sampling' in can && { greeting }) },
  });
};

const threeSteps: FixtureTool['call'] = (_, { tell }) => {
  for (const step of ['begun', 'half', 'done']) tell?.(step);
  return saying('done');
};

const resource = {
  uri: 'test://embedded-resource',
  mimeType: 'text/plain',
  text: 'This is an embedded resource content.',
};
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;

/** Keywords of JSON Schema 2020-12 that a list has to leave as they are. */
const KEYWORDS = JSON.parse(
  readFileSync(new URL('keywords.schema.json', import.meta.url), 'utf8'),
) as Tool['inputSchema'];

/** By name; what each is for stands in the suite. */
export const FIXTURE_TOOLS: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: { call: () => saying('This is a simple text response for testing.') },
  test_image_content: { call: () => ({ content: [image] }) },
  test_audio_content: { call: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }) },
  test_embedded_resource: { call: () => ({ content: [{ type: 'resource', resource }] }) },
  test_multiple_content_types: {
    call: () => ({
      content: [{ type: 'text', text: 'Multiple content types test:' }, image, { type: 'resource', resource }],
    }),
  },
  test_error_handling: {
    call: () => ({ ...saying('This tool intentionally returns an error for testing'), isError: true }),
  },
  test_tool_with_progress: { call: threeSteps },
  json_schema_2020_12_tool: { inputSchema: KEYWORDS, call: () => saying('done') },
  // The layer logs nothing to a client that named no level, nor to any other.
  test_logging_tool: { call: () => saying('done') },
  test_streaming_elicitation: { call: asking('user_name', ALL.user_name, () => 'done') },
  test_missing_capability: { call: asking('greeting', ALL.greeting, () => 'done') },
  test_input_required_result_elicitation: {
    call: (given, asked) => {
      const accepted = acceptedContent<{ name: string }>(asked.mcp.inputResponses, 'user_name');
      if (accepted) return saying(`Hello, ${accepted.name}!`);
      return inputRequired({ inputRequests: { user_name: ALL.user_name } });
    },
  },
  test_input_required_result_sampling: {
    call: asking('capital_question', sample('What is the capital of France?', 100), (came) => JSON.stringify(came)),
  },
  test_input_required_result_list_roots: {
    call: asking('client_roots', ALL.client_roots, (came) => JSON.stringify(came)),
  },
  test_input_required_result_request_state: { call: stateful },
  test_input_required_result_tampered_state: { call: stateful },
  test_input_required_result_multiple_inputs: { call: severalAtOnce },
  test_input_required_result_multi_round: { call: multiRound },
  test_input_required_result_capabilities: { call: within },
};
