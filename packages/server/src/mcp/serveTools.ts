import { RESULT_BODY_LIMIT_BYTES } from '@legwork/protocol/contract';
import type { FastifyInstance } from 'fastify';
import type { AppContext } from '../context.js';
import type { Runs } from '../operations/index.js';
import { routeCalls } from './callRoute.js';
import { toolManifest } from './manifest.js';
import { routeMcp } from './mcpRoute.js';
import { loadTools } from './tools.js';

const MANIFEST_PATH = '/mcp/tools';

/** Serves the tools: the manifest, plain calls and MCP, all with the same tools. */
export async function serveTools(app: FastifyInstance, context: AppContext, runs: Runs): Promise<void> {
  const tools = loadTools(runs);
  const manifest = toolManifest(tools, context.config.unsignedCalls);
  const manifestJson = JSON.stringify(manifest);
  app.get(MANIFEST_PATH, async (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return manifestJson;
  });
  const offer = { context, runs, tools, manifest };
  routeCalls(app, offer, RESULT_BODY_LIMIT_BYTES);
  await routeMcp(app, offer, RESULT_BODY_LIMIT_BYTES);
}
