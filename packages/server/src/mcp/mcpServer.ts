import {
  type CallToolRequestParams,
  type CallToolResult,
  type CompleteRequestParams,
  type CompleteResult,
  type GetPromptResult,
  type Implementation,
  type InputRequiredResult,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { Caller } from '../operations/run.js';
import { showsCards } from './cards.js';
import type { ToolSession } from './mcpRoute.js';
import { offerTasks, TASKS, takesTasks, type Tasks } from './tasks.js';

/** Tells a client that waits for its call what is done of it. */
export type Tell = NonNullable<Caller['tell']>;

/** A request, as what is offered sees it. */
export interface Asked {
  session: ToolSession;
  /** The client declared a host that shows cards. Rule S-274. */
  cards: boolean;
  /** The client takes a task where it asked for a result. Rule S-292. */
  tasks: boolean;
  /** Undefined: nobody asked to be told. Rule S-291. */
  tell: Tell | undefined;
  /** What else the SDK knows of it. */
  mcp: ServerContext['mcpReq'];
}

type Awaitable<T> = T | Promise<T>;

/** What an MCP server offers, at every request anew: nothing of a client is kept in between. */
export interface Offer {
  server: Implementation;
  /** The instructions that a model gets when its host connects. */
  instructions: string;
  listTools: (asked: Asked) => Tool[];
  callTool: (call: CallToolRequestParams, asked: Asked) => Promise<CallToolResult | InputRequiredResult>;
  listResources: (asked: Asked) => Resource[];
  resourceTemplates: ResourceTemplateType[];
  readResource: (uri: string, asked: Asked) => Promise<ReadResourceResult>;
  /** @throws ProtocolError -32602 when no resource has the address, so that nobody waits for news of it */
  requireResource: (uri: string) => void;
  prompts: Prompt[];
  getPrompt: (
    name: string,
    given: Readonly<Record<string, string>>,
    asked: Asked,
  ) => Awaitable<GetPromptResult | InputRequiredResult>;
  complete: (params: CompleteRequestParams, asked: Asked) => Promise<CompleteResult>;
  tasks: Tasks;
}

/** An MCP server for one HTTP request. The SDK speaks the protocol, in any of its revisions. Rule S-37. */
export function createMcpServer(offer: Offer, session: ToolSession, era: 'legacy' | 'modern'): Server {
  const isModern = era === 'modern';
  const { server: info, instructions, resourceTemplates, prompts } = offer;
  const server = new Server(info, {
    capabilities: {
      tools: {},
      // Without a session, only a stream that is open says what has changed: earlier revisions have none.
      resources: isModern ? { subscribe: true } : {},
      prompts: {},
      completions: {},
      ...(isModern && { extensions: { [TASKS]: {} } }),
    },
    instructions,
  });
  const asked = ({ mcpReq: mcp }: ServerContext): Asked => ({
    session,
    cards: session.cards || showsCards(mcp.envelope),
    tasks: isModern && takesTasks(mcp.envelope),
    tell: session.streams ? tellerOf(mcp) : undefined,
    mcp,
  });
  server.setRequestHandler('tools/list', (_, context) => ({ tools: offer.listTools(asked(context)) }));
  server.setRequestHandler('tools/call', ({ params }, context) => offer.callTool(params, asked(context)));
  server.setRequestHandler('resources/list', (_, context) => ({ resources: offer.listResources(asked(context)) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', ({ params }, context) => offer.readResource(params.uri, asked(context)));
  server.setRequestHandler('completion/complete', ({ params }, context) => offer.complete(params, asked(context)));
  server.setRequestHandler('prompts/list', () => ({ prompts }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }, context) =>
    offer.getPrompt(name, given, asked(context)),
  );
  if (isModern) offerTasks(server, offer.tasks, asked);
  return server;
}

/** Tells the progress of a request in its own stream, one step after another. @returns undefined: it names no token for it */
function tellerOf({ _meta, notify }: Asked['mcp']): Tell | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    // Who has hung up is told nothing, and the call goes on.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => undefined);
  };
}
