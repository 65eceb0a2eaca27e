import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { operations } from '@legwork/protocol/contract';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AppContext } from '../context.js';
import type { ListedTool } from './manifest.js';

/**
 * MCP Apps (SEP-1865, 2026-01-26): a page that hosts show in a chat for the answer of a tool. The SDK's names of it come with a client, which
 * the service has no use for. Rule S-274.
 */
const EXTENSION = 'io.modelcontextprotocol/ui';
const MIME_TYPE = 'text/html;profile=mcp-app';

/** The card of a package or a digital task, as MCP lists it. Hosts let it load nothing and ask nobody but them. */
export const CARD = {
  uri: 'ui://legwork/listing',
  name: 'listing',
  title: 'A package or a digital task as a card',
  mimeType: MIME_TYPE,
  _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
};

/** Tools whose answer it shows. Those that post answer the same, but the list has no room to say so (S-99). */
const SHOWN = new Set<string | undefined>(
  [operations.getPackage, operations.getDigitalTask].map(({ tool }) => tool?.name),
);

/** The list of tools for hosts that show cards. */
export const withCards = (tools: readonly ListedTool[]): ListedTool[] =>
  tools.map((tool) => (SHOWN.has(tool.name) ? { ...tool, _meta: { ui: { resourceUri: CARD.uri } } } : tool));

/** Capabilities of a client whose host shows cards. */
const showing = z.object({
  extensions: z.object({
    [EXTENSION]: z.object({ mimeTypes: z.array(z.string()).refine((types) => types.includes(MIME_TYPE)) }),
  }),
});

const enveloped = z.object({ [CLIENT_CAPABILITIES_META_KEY]: showing });

/** Says whether what a request of the revision of 2026 tells of its client declares such a host. */
export const showsCards = (envelope: unknown): boolean => enveloped.safeParse(envelope).success;

const initialize = z.object({ method: z.literal('initialize'), params: z.object({ capabilities: showing }) });
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
  const page = await readFile(fileURLToPath(import.meta.resolve('@legwork/dashboard/card.html')), 'utf8');
  // As a URL it has no quotes.
  const { href } = new URL(publicUrl);
  const text = page.replace('<html lang="en">', () => `<html lang="en" data-service="${href.replace(/\/$/, '')}">`);
  return { contents: [{ uri: CARD.uri, mimeType: MIME_TYPE, text, _meta: CARD._meta }] };
}
