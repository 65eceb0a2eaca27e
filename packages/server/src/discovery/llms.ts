import {
  byteOperations,
  ERROR_CODES,
  ERROR_HINTS,
  type ErrorCode,
  EVENT_TYPES,
  isTool,
  type Operation,
  operations,
} from '@legwork/protocol/contract';
import { CARD_PATH } from '../a2a/agentCard.js';
import { type Places, SKILL_DESCRIPTION, skillDocument, SUMMARY } from './skill.js';

/** `llms.txt`: what there is for a model, and where. Rule S-169. */
export function llmsDocument({ publicUrl, mcpUrl }: Places): string {
  const link = (path: string, name: string, about: string) => `- [${name}](${publicUrl}${path}): ${about}`;
  return `${[
    '# Legwork',
    '',
    `> ${SUMMARY}`,
    '',
    `Tools for models are at ${mcpUrl} (MCP, streamable HTTP, no login). Begin with the skill.`,
    '',
    '## Start',
    '',
    link('/SKILL.md', 'Skill', SKILL_DESCRIPTION),
    `- [MCP server card](${mcpUrl}/server-card): where an MCP client connects`,
    link(CARD_PATH, 'A2A agent card', 'where agents that speak A2A 1.0 post digital tasks'),
    link('/mcp/tools', 'Tools', 'every tool with the schemas of its arguments and answers, as JSON'),
    '',
    '## Reference',
    '',
    link('/openapi.json', 'OpenAPI', 'every operation over REST'),
    link(
      operations.getConfig.path,
      'Configuration',
      'the ledger, the program, the arbiter and the limits of this service',
    ),
    link('/llms-full.txt', 'All in one text', 'the skill, tools, operations, events and errors'),
    link('/.well-known/api-catalog', 'API catalogue', 'where the APIs and their descriptions are (RFC 9727)'),
    '',
    '## Optional',
    '',
    link('/docs', 'API pages', 'the operations, to try in a browser'),
    link('/developers', 'For developers', 'the page for people who write agents'),
    link('/', 'Dashboard', 'the market as people see it'),
  ].join('\n')}\n`;
}

/** `llms-full.txt`: the same, and everything that the contracts say, in one text. */
export function fullDocument(places: Places): string {
  const [, , body = ''] = skillDocument(places).split(/^---$/m);
  const all = Object.values<Operation>({ ...operations, ...byteOperations });
  return `${[
    llmsDocument(places).trimEnd(),
    '',
    // One level down: it is a part here.
    body.trim().replaceAll(/^#/gm, '##'),
    '',
    '## Tools',
    '',
    ...all.filter(isTool).map(({ tool }) => `- \`${tool.name}\` (${tool.title}): ${tool.description}`),
    '',
    '## Operations',
    '',
    ...all.map((one) => `- \`${one.method} ${one.path}\` (${one.name}): ${one.summary} ${one.description}`.trimEnd()),
    '',
    '## Events',
    '',
    `\`${places.publicUrl.replace(/^http/, 'ws')}/ws?since=<seq>&topics=<types>\` tells, and \`GET ${operations.listEvents.path}\` with`,
    `\`Accept: text/event-stream\`: ${EVENT_TYPES.join(', ')}.`,
    '',
    '## Errors',
    '',
    ...(Object.keys(ERROR_CODES) as ErrorCode[]).map(
      (code) => `- \`${code}\` (${ERROR_CODES[code].status}): ${ERROR_CODES[code].title}. ${ERROR_HINTS[code]}`,
    ),
  ].join('\n')}\n`;
}
