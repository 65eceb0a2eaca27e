import { createHash } from 'node:crypto';
import { operations, PAGES } from '@legwork/protocol/contract';
import { A2A_PATH, CARD_PATH } from '../a2a/agentCard.js';
import { TOOL_SERVER } from '../mcp/manifest.js';
import { type Places, SKILL_DESCRIPTION, SKILL_NAME, skillDocument, SUMMARY } from './skill.js';

const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;

/** `com.example/legwork` of a service at example.com, as registries name servers; a host without a name stays as it is. */
function serverName({ publicUrl }: Places): string {
  const { hostname } = new URL(publicUrl);
  if (hostname.startsWith('[')) return `localhost/${TOOL_SERVER.name}`;
  const isAddress = /^[\d.]+$/.test(hostname);
  return `${isAddress ? hostname : hostname.split('.').toReversed().join('.')}/${TOOL_SERVER.name}`;
}

/** The fields that the server card and the registry entry share. */
const describedServer = (places: Places) => ({
  name: serverName(places),
  title: 'Legwork',
  description: SUMMARY,
  version: TOOL_SERVER.version,
  websiteUrl: places.publicUrl,
  remotes: [{ type: 'streamable-http', url: places.mcpUrl }],
});

/** Where an MCP client connects: the server card of MCP's extension (SEP-2127). */
export const serverCard = (places: Places) =>
  json({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    ...describedServer(places),
  });

/** The entry that an operator publishes in the MCP registry. */
export const registryEntry = (places: Places) =>
  json({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    ...describedServer(places),
  });

/** The catalogue in which clients of MCP and of A2A look for cards on a host. */
export const aiCatalog = (places: Places) =>
  json({
    specVersion: '1.0',
    host: { displayName: 'Legwork', documentationUrl: `${places.publicUrl}/docs` },
    entries: [
      {
        identifier: `urn:air:${new URL(places.publicUrl).hostname}:mcp:${TOOL_SERVER.name}`,
        type: 'application/mcp-server-card+json',
        url: `${places.mcpUrl}/server-card`,
      },
      {
        identifier: `urn:air:${new URL(places.publicUrl).hostname}:a2a:${TOOL_SERVER.name}`,
        type: 'application/a2a-agent-card+json',
        url: places.publicUrl + CARD_PATH,
      },
    ],
  });

/** The skills that this host publishes, with their digests. */
export const skillsIndex = (places: Places) =>
  json({
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      {
        name: SKILL_NAME,
        type: 'skill-md',
        description: SKILL_DESCRIPTION,
        url: `${places.publicUrl}/.well-known/agent-skills/${SKILL_NAME}/SKILL.md`,
        digest: `sha256:${createHash('sha256').update(skillDocument(places)).digest('hex')}`,
      },
    ],
  });

/** The APIs here and what describes them, as a set of links (RFC 9264). */
export const apiCatalog = ({ publicUrl, mcpUrl }: Places) =>
  json({
    linkset: [
      {
        anchor: publicUrl,
        'service-desc': [{ href: `${publicUrl}/openapi.json`, type: 'application/json' }],
        'service-doc': [
          { href: `${publicUrl}/docs`, type: 'text/html' },
          { href: `${publicUrl}/SKILL.md`, type: 'text/markdown' },
        ],
        'service-meta': [{ href: `${publicUrl}${operations.getConfig.path}`, type: 'application/json' }],
        status: [{ href: `${publicUrl}${operations.getHealth.path}`, type: 'application/json' }],
      },
      {
        anchor: mcpUrl,
        'service-meta': [{ href: `${mcpUrl}/server-card`, type: 'application/mcp-server-card+json' }],
        'service-desc': [{ href: `${publicUrl}/mcp/tools`, type: 'application/json' }],
      },
      {
        anchor: publicUrl + A2A_PATH,
        'service-desc': [{ href: publicUrl + CARD_PATH, type: 'application/json' }],
      },
    ],
  });

/** The contact for security reports, half a year at a time (RFC 9116). It expires at the end of a day, so that the text stays for a day. */
export function securityText({ publicUrl, securityContact }: Places, now: Date): string | undefined {
  if (securityContact === undefined) return undefined;
  const expires = new Date(now);
  expires.setUTCDate(expires.getUTCDate() + 180);
  expires.setUTCHours(0, 0, 0, 0);
  return [
    `Contact: ${securityContact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    '',
  ].join('\n');
}

/** Everything may be read. */
export const robotsText = ({ publicUrl }: Places) =>
  ['User-agent: *', 'Allow: /', '', `Sitemap: ${publicUrl}/sitemap.xml`, ''].join('\n');

/** The pages for everybody that have an address of their own without somebody's id in it. */
export const siteMap = ({ publicUrl }: Places) => {
  const { ops: _, desk: __, ...open } = PAGES;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...[...Object.values(open).filter((path) => !path.includes(':')), '/docs', '/llms.txt'].map(
      (path) => `  <url><loc>${publicUrl}${path}</loc></url>`,
    ),
    '</urlset>',
    '',
  ].join('\n');
};
