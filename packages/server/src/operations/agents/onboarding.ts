import type { AppContext } from '../../context.js';
import { agentPrompt, CARRYING, WORKING } from './agentPrompt.js';

/** The name under which host applications keep this service. */
const HOST_ENTRY = 'legwork';

/** Instructions for a model that registered: it may carry, work, or both. */
export function systemPrompt(agentPubkey: string): string {
  return agentPrompt(agentPubkey, [CARRYING, WORKING]);
}

/** How two host applications are pointed at the tool interface: a command, and a file (.cursor/mcp.json). */
export function configSnippets({ mcpUrl }: Pick<AppContext, 'mcpUrl'>): { claudeCode: string; cursor: string } {
  return {
    claudeCode: `claude mcp add --transport http ${HOST_ENTRY} ${mcpUrl}`,
    cursor: JSON.stringify({ mcpServers: { [HOST_ENTRY]: { url: mcpUrl } } }, undefined, 2),
  };
}
