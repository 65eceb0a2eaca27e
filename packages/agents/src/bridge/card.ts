import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CARD, CARD_TOOLS, cardOf, declaresCards } from '@legwork/protocol/contract';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { ListedTool } from './serviceMcp.js';

/** Says whether the host before this client shows cards: a newer client says so with each request, an older one on connecting. */
export function showsCards(
  { mcpReq: { envelope } }: ServerContext,
  connected: ClientCapabilities | undefined,
): boolean {
  const now = (envelope as Readonly<Record<string, unknown>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  return declaresCards(now ?? connected);
}

/** The tools for such a host: it shows the card for two of them, and lets the card call no other. Rule A-179. */
export const withCards = (tools: readonly ListedTool[]) =>
  tools.map((tool) => {
    const ui = CARD_TOOLS.has(tool.name) ? { resourceUri: CARD.uri } : { visibility: ['model'] };
    return { ...tool, _meta: { ui } };
  });

/** The page that came with the bridge: one of the service's could have the host call what the wallet signs. */
export async function readCard(service: string) {
  return cardOf(await readFile(fileURLToPath(import.meta.resolve('@legwork/dashboard/card.html')), 'utf8'), service);
}
