// Writes docs/operators/configuration.md from the settings that the built service reads.
//   node scripts/docs/configuration.mjs           writes it
//   node scripts/docs/configuration.mjs --check   exits 1 if what is committed differs
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { environment } from '../../packages/server/dist/index.js';

const PAGE = fileURLToPath(new URL('../../docs/operators/configuration.md', import.meta.url));

const HEAD = `# Settings

<!-- Written by scripts/docs/configuration.mjs from packages/server/src/environment.ts and the folder beside it: change it there. -->

Environment variables of \`legwork serve\` and \`legwork start\`. A wrong value stops the start with a sentence that
names the variable; an empty one counts as not set.

| variable | value | default | meaning |
|---|---|---|---|
`;

/** The settings in the order of the source, as JSON Schema shows them. */
function settings() {
  const { properties } = environment.toJSONSchema({ io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: !environment.shape[name].safeParse(undefined).success,
  }));
}

function valueOf({ type, enum: choices, format, minimum, maximum }) {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (type === 'integer') return `whole number, ${minimum} to ${maximum}`;
  return format === 'uri' ? 'URL' : 'text';
}

function defaultOf({ schema, required }) {
  if (schema.default !== undefined) return `\`${schema.default}\``;
  return required ? 'required' : 'not set';
}

function row(setting) {
  const { name, schema } = setting;
  if (schema.description === undefined) throw new Error(`${name} is not described`);
  const cells = [`\`${name}\``, valueOf(schema), defaultOf(setting), schema.description];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

const page = HEAD + settings().map(row).join('');
if (!process.argv.includes('--check')) await writeFile(PAGE, page);
else if ((await readFile(PAGE, 'utf8').catch(() => '')) !== page) {
  console.error('docs/operators/configuration.md is not current: run "node scripts/docs/configuration.mjs".');
  process.exitCode = 1;
}
