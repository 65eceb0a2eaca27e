/*
 * Documents by which programs find the service that know nothing but its address.
 *
 * Some are standards: the API catalogue (RFC 9727), security.txt (RFC 9116), robots.txt (RFC 9309), the sitemap protocol, the server card
 * of MCP (its extension of 2026). The others are habits that clients really follow: llms.txt, skills and their index, the older places of
 * the card. All are made from contracts and configuration, and name everything by its public address, so that they hold behind a proxy.
 *
 * A file of an origin (robots.txt, what is below /.well-known) is looked for at the root of the host: where the service has a prefix, its
 * operator passes those paths on (docs/operators). Each is reached by the links of the others, wherever the service is.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppContext } from '../context.js';
import { unlessKept } from '../http/representation.js';
import {
  aiCatalog,
  apiCatalog,
  registryEntry,
  robotsText,
  securityText,
  serverCard,
  siteMap,
  skillsIndex,
} from './catalogs.js';
import { fullDocument, llmsDocument } from './llms.js';
import { type Places, SKILL_NAME, skillDocument } from './skill.js';

interface Document {
  /** The first is the one that others link to. */
  paths: readonly string[];
  type: string;
  /** Undefined: there is none here. */
  write: (places: Places, now: Date) => string | undefined;
}

const MARKDOWN = 'text/markdown; charset=utf-8';
const PLAIN = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const CARD = 'application/mcp-server-card+json; charset=utf-8';

export const DOCUMENTS: readonly Document[] = [
  { paths: ['/llms.txt', '/.well-known/llms.txt'], type: PLAIN, write: llmsDocument },
  { paths: ['/llms-full.txt'], type: PLAIN, write: fullDocument },
  {
    paths: ['/SKILL.md', '/skill.md', `/.well-known/agent-skills/${SKILL_NAME}/SKILL.md`],
    type: MARKDOWN,
    write: skillDocument,
  },
  { paths: ['/.well-known/agent-skills/index.json'], type: JSON_TYPE, write: skillsIndex },
  {
    paths: ['/mcp/server-card', '/.well-known/mcp/server-card.json', '/.well-known/mcp.json'],
    type: CARD,
    write: serverCard,
  },
  { paths: ['/.well-known/ai-catalog.json'], type: 'application/ai-catalog+json; charset=utf-8', write: aiCatalog },
  { paths: ['/server.json'], type: JSON_TYPE, write: registryEntry },
  {
    paths: ['/.well-known/api-catalog'],
    type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"; charset=utf-8',
    write: apiCatalog,
  },
  { paths: ['/.well-known/security.txt'], type: PLAIN, write: securityText },
  { paths: ['/robots.txt'], type: PLAIN, write: robotsText },
  { paths: ['/sitemap.xml'], type: 'application/xml; charset=utf-8', write: siteMap },
];

/** Routes of the documents. They change with the configuration alone: caches may keep them for an hour. Rule S-169. */
export function routeDocuments(app: FastifyInstance, context: AppContext): void {
  const { publicUrl, mcpUrl, config } = context;
  const places = { publicUrl, mcpUrl, securityContact: config.securityContact };
  for (const { paths, type, write } of DOCUMENTS) {
    if (write(places, context.clock()) === undefined) continue;
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({ 'content-type': type, 'cache-control': 'public, max-age=3600', link: catalogLink(publicUrl) });
      return unlessKept(request, reply, write(places, context.clock()) ?? '');
    };
    for (const path of paths) app.get(path, answer);
  }
}

/** How an answer leads to the catalogue of the APIs. */
export const catalogLink = (publicUrl: string) => `<${publicUrl}/.well-known/api-catalog>; rel="api-catalog"`;
