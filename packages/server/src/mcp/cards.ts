import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CARD, CARD_TOOLS, cardOf, declaresCards } from '@legwork/protocol/contract';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AppContext } from '../context.js';
import type { ListedTool } from './manifest.js';

/** The list of tools for hosts that show cards. Rule S-274. */
export const withCards = (tools: readonly ListedTool[]): ListedTool[] =>
  tools.map((tool) => (CARD_TOOLS.has(tool.name) ? { ...tool, _meta: { ui: { resourceUri: CARD.uri } } } : tool));

const enveloped = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.custom(declaresCards) });

/** Says whether what a request of the revision of 2026 tells of its client declares such a host. */
export const showsCards = (envelope: unknown): boolean => enveloped.safeParse(envelope).success;

const initialize = z.object({
  method: z.literal('initialize'),
  params: z.object({ capabilities: z.custom(declaresCards) }),
});
const SESSION = 'cards-';

/**
 * Revisions before 2026 tell capabilities once, and nothing is kept between requests: the id of the session says it in every other one.
 *
 * @returns undefined: the body is not of a client that shows cards, and its session has no id
 */
export const cardSession = (body: unknown): string | undefined =>
  initialize.safeParse(body).success ? `${SESSION}${randomUUID()}` : undefined;

/** @param id of the session, as the client sends it */
export const isCardSession = (id: unknown): boolean => typeof id === 'string' && id.startsWith(SESSION);

/** The card, with the address of the service in it. */
export async function readCard({ publicUrl }: AppContext) {
  return cardOf(await readFile(fileURLToPath(import.meta.resolve('@legwork/dashboard/card.html')), 'utf8'), publicUrl);
}
