import { z } from 'zod';
import { operations } from './operations/index.js';

/**
 * MCP Apps (SEP-1865, 2026-01-26): a page that hosts show in a chat for the answer of a tool. The SDK's names of it come with a client, which
 * neither the service nor the bridge has a use for. Rule S-274.
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
export const CARD_TOOLS: ReadonlySet<string | undefined> = new Set(
  [operations.getPackage, operations.getDigitalTask].map(({ tool }) => tool?.name),
);

const showing = z.object({
  extensions: z.object({
    [EXTENSION]: z.object({ mimeTypes: z.array(z.string()).refine((types) => types.includes(MIME_TYPE)) }),
  }),
});

/** Says whether these capabilities are of a client whose host shows cards. */
export const declaresCards = (capabilities: unknown): boolean => showing.safeParse(capabilities).success;

/** The card as a resource, with the address of the service in its page. @param page of the package of pages, `card.html` */
export function cardOf(page: string, service: string) {
  // As a URL it has no quotes.
  const { href } = new URL(service);
  const text = page.replace('<html lang="en">', () => `<html lang="en" data-service="${href.replace(/\/$/, '')}">`);
  return { contents: [{ uri: CARD.uri, mimeType: MIME_TYPE, text, _meta: CARD._meta }] };
}
