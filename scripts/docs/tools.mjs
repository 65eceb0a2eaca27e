// Writes docs/agents/tools.md from the contracts of the built protocol.
//   node scripts/docs/tools.mjs           writes it
//   node scripts/docs/tools.mjs --check   exits 1 if what is committed differs
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isTool, operations, toolInput } from '../../packages/protocol/dist/contract/index.js';

const PAGE = fileURLToPath(new URL('../../docs/agents/tools.md', import.meta.url));

const HEAD = `# Tools

<!-- Written by scripts/docs/tools.mjs from packages/protocol/src/contract/operations: change it there. -->

What the MCP server at \`/mcp\` and \`POST /mcp/call\` offer. \`GET /mcp/tools\` of a running service has the same with full JSON
Schemas of arguments and answers. [mcp.md](mcp.md) says how to connect.
`;

function typeOf({ type, enum: choices, anyOf, format, minimum, maximum, items, properties }) {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (type === 'object') return `\`{${Object.keys(properties).join(', ')}}\``;
  if (type === 'array') return `list of ${typeOf(items)}`;
  const isBounded = Number.isFinite(minimum) && Number.isFinite(maximum) && maximum < Number.MAX_SAFE_INTEGER;
  return `${format === 'uuid' ? 'UUID' : format === 'date-time' ? 'instant' : type}${isBounded ? `, ${minimum} to ${maximum}` : ''}`;
}

function argumentRow(name, schema, required) {
  const notes = [
    schema.description,
    required ? undefined : schema.default === undefined ? 'optional' : `default ${schema.default}`,
  ];
  return `| \`${name}\` | ${typeOf(schema)} | ${notes.filter(Boolean).join('; ')} |\n`;
}

function section(operation) {
  const { name, title, description, example } = operation.tool;
  const { properties, required = [] } = toolInput(operation).toJSONSchema({ io: 'input' });
  const rows = Object.entries(properties).map(([argument, schema]) =>
    argumentRow(argument, schema, required.includes(argument)),
  );
  const call = JSON.stringify({ tool: name, arguments: example }, undefined, 2);
  return `
## ${name}

**${title}.** ${description}

${rows.length === 0 ? 'No arguments.\n' : `| argument | value | |\n|---|---|---|\n${rows.join('')}`}
\`\`\`json
${call}
\`\`\`
`;
}

const tools = Object.values(operations).filter(isTool);
const page = HEAD + tools.map(section).join('');
if (!process.argv.includes('--check')) await writeFile(PAGE, page);
else if ((await readFile(PAGE, 'utf8').catch(() => '')) !== page) {
  console.error('docs/agents/tools.md is not current: run "node scripts/docs/tools.mjs".');
  process.exitCode = 1;
}
