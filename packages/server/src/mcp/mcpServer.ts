import { RelayError } from '@legwork/protocol/contract';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { AppContext } from '../context.js';
import type { Caller } from '../operations/run.js';
import type { Runs } from '../operations/index.js';
import { callTool, countBid, unknownTool } from './callTool.js';
import { INSTRUCTIONS } from './instructions.js';
import { type Manifest, TOOL_SERVER } from './manifest.js';
import { getPrompt, PROMPT_LIST } from './prompts.js';
import { RESOURCE_TEMPLATES, readResource } from './resources.js';
import { failed } from './toolResult.js';
import type { ToolSession } from './toolSession.js';
import type { Tools } from './tools.js';

/** What every MCP server of this service offers. */
export interface Offer {
  context: AppContext;
  runs: Runs;
  tools: Tools;
  manifest: Manifest;
}

/**
 * An MCP server for one HTTP request. The SDK speaks the protocol, of whichever revision; arguments are judged by the
 * contracts, so that a tool answers here as it does at `/mcp/call`.
 */
export function createMcpServer(offer: Offer, session: ToolSession): Server {
  const { tools, manifest } = offer;
  const server = new Server(TOOL_SERVER, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: INSTRUCTIONS,
  });
  server.setRequestHandler('tools/list', () => ({ tools: manifest.tools }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.get(params.name);
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(tools, params.name).message);
    }
    try {
      await countBid(offer.context, tool, session.reader);
      return { ...(await callTool(offer.context, { tool, arguments: params.arguments ?? {}, session })) };
    } catch (error) {
      // The answer may have begun as a stream, whose status is sent: here the refusal is the result.
      if (error instanceof RelayError) return { ...failed(error) };
      throw error;
    }
  });
  offerResources(server, offer, session.reader);
  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPT_LIST }));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments ?? {}));
  return server;
}

function offerResources(server: Server, { context, runs }: Offer, reader: Caller): void {
  // Which packages and agents there are is for the tools to list.
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params }) => readResource(context, runs, params.uri, reader));
}
