import { RESULT_BODY_LIMIT_BYTES } from '@legwork/protocol/contract';
import {
  acceptedContent,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  UriTemplate,
} from '@modelcontextprotocol/server';
import { routeMcp } from '../../../src/mcp/mcpRoute.js';
import type { Offer } from '../../../src/mcp/mcpServer.js';
import { startService, type TestService } from '../../http/service.js';
import { FixtureTasks, taskTools } from './fixtureTasks.js';
import { dialog, FIXTURE_TOOLS, PNG } from './fixtureTools.js';

const TEMPLATE = 'test://template/{id}/data';

const saying = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });
const argument = (name: string) => ({ name, description: name, required: true });

/** What the official conformance suite expects a server to offer, for the layer that serves the market. */
export function fixtureOffer(): Offer {
  const tasks = new FixtureTasks();
  const tools = { ...FIXTURE_TOOLS, ...taskTools(tasks) };
  return {
    server: { name: 'fixture', version: '1' },
    instructions: 'Tools, resources and prompts of the conformance suite.',
    listTools: () =>
      Object.entries(tools).map(([name, { inputSchema = { type: 'object' as const } }]) => ({
        name,
        description: `The suite calls ${name}.`,
        inputSchema,
      })),
    callTool: async ({ name, arguments: given = {} }, asked) => {
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
      if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
      return tool.call(given, asked);
    },
    ...RESOURCES,
    ...PROMPTS,
    complete: async () => ({ completion: { values: [], hasMore: false } }),
    tasks,
  };
}

const RESOURCES: Pick<Offer, 'listResources' | 'resourceTemplates' | 'readResource' | 'requireResource'> = {
  listResources: () => [
    { uri: 'test://static-text', name: 'static-text', description: 'text', mimeType: 'text/plain' },
    { uri: 'test://static-binary', name: 'static-binary', description: 'an image', mimeType: 'image/png' },
  ],
  resourceTemplates: [
    { name: 'template', uriTemplate: TEMPLATE, description: 'data by id', mimeType: 'application/json' },
  ],
  readResource: async (uri) => {
    const text = 'This is the content of the static text resource.';
    if (uri === 'test://static-text') return { contents: [{ uri, mimeType: 'text/plain', text }] };
    if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] };
    const found = new UriTemplate(TEMPLATE).match(uri);
    if (found === null) throw new ResourceNotFoundError(uri);
    return {
      contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ ...found, templateTest: true }) }],
    };
  },
  requireResource: (uri) => {
    if (!uri.startsWith('test://')) throw new ResourceNotFoundError(uri);
  },
};

const PROMPTS: Pick<Offer, 'prompts' | 'getPrompt'> = {
  prompts: [
    { name: 'test_simple_prompt', description: 'plain' },
    { name: 'test_prompt_with_arguments', description: 'two arguments', arguments: ['arg1', 'arg2'].map(argument) },
    { name: 'test_prompt_with_embedded_resource', description: 'a resource', arguments: [argument('resourceUri')] },
    { name: 'test_prompt_with_image', description: 'an image' },
    { name: 'test_input_required_result_prompt', description: 'asks first' },
  ],
  getPrompt: (name, { arg1, arg2, resourceUri = '' }, { mcp: { inputResponses } }) => {
    if (name === 'test_simple_prompt') return { messages: [saying('This is a simple prompt for testing.')] };
    if (name === 'test_prompt_with_arguments')
      return { messages: [saying(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] };
    if (name === 'test_prompt_with_embedded_resource') {
      const resource = { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' };
      return { messages: [{ role: 'user', content: { type: 'resource', resource } }, saying('Please process it.')] };
    }
    if (name === 'test_prompt_with_image')
      return { messages: [{ role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } }] };
    if (name !== 'test_input_required_result_prompt')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`);
    const accepted = acceptedContent<{ context: string }>(inputResponses, 'user_context');
    if (accepted) return { messages: [saying(accepted.context)] };
    const user_context = dialog('What context should the prompt use?', 'context');
    return inputRequired({ inputRequests: { user_context } });
  },
};

/** The HTTP side of the service with the fixture in the place of the market. */
export const startFixture = (databaseUrl: string): Promise<TestService> =>
  startService(databaseUrl, {}, {}, (app, context) =>
    routeMcp(app, context, fixtureOffer(), RESULT_BODY_LIMIT_BYTES, {
      fanout: { join: () => undefined },
      hold: () => undefined,
    }),
  );
