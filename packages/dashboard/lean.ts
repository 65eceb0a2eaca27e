import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Leaves away what the packages that pages are bundled from have for the service alone. */
export const lean = (): Plugin[] => [
  oneOfEach(),
  otherNames(),
  withoutTexts(),
  usedOperations(),
  leanSchemas(),
  withoutMutations(),
];

/** What the contract says in texts is for the API's documents: pages neither show nor need it. */
function withoutTexts(): Plugin {
  return {
    name: 'without-texts',
    apply: 'build',
    transform: {
      filter: { id: /packages\/protocol\/src\/contract\// },
      handler: (code, id) => {
        const short = code.replaceAll(FIELD_TEXT, '');
        if (id.includes('/operations/')) {
          return { code: short.replaceAll(OPERATION_TEXT, '').replaceAll(OPERATION_FOR_DOCUMENTS, ''), map: null };
        }
        return { code: id.includes('/contract/errors.') ? short.replaceAll(ERROR_TITLE, '') : short, map: null };
      },
    },
  };
}

/** One text or several, or the names of texts, as the compiler writes them. */
const TEXT = /(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[A-Z][A-Z_]+)/.source;
const TEXTS = `${TEXT}(?:\\s*\\+\\s*${TEXT})*`;
/** `.meta({ description: '…' })` with nothing else in it. */
const FIELD_TEXT = new RegExp(`\\.meta\\(\\{\\s*description:\\s*${TEXTS}\\s*,?\\s*\\}\\)`, 'g');
/** What the service writes into the answer of an error, which pages read there. */
const ERROR_TITLE = new RegExp(`,\\s*title:\\s*${TEXT}(?=,?\\s*\\})`, 'g');
/** What an operation and its tool say about themselves, in lines of their own. */
const OPERATION_TEXT = new RegExp(`^\\s*(?:summary|description|title):\\s*${TEXTS},?\\n`, 'gm');

/** An example, and what an operation is to models. */
const OPERATION_FOR_DOCUMENTS = /^(\s*)(?:example|tool): (?:\w+|\{.*\}|\{\n[^]*?\n\1\}),?\n/gm;

/** A page's client has the operations whose names stand in its sources or in the SDK's; the contract of the others stays away. */
function usedOperations(): Plugin {
  return {
    name: 'used-operations',
    apply: 'build',
    transform: {
      filter: { id: /packages\/protocol\/src\/contract\/operations\/index\.ts/ },
      async handler(code) {
        const isConsole = this.environment.name === 'console';
        const sources = await Promise.all(
          ['src', '../sdk/src'].map((folder) => sourcesOf(join(import.meta.dirname, folder), isConsole)),
        );
        const used = new Set(sources.join('\n').match(/\w+/g));
        return { code: code.replaceAll(OPERATION_ROW, (row, name: string) => (used.has(name) ? row : '')), map: null };
      },
    },
  };
}

/** `getConfig: meta.getConfig,` */
const OPERATION_ROW = /^\s*(\w+): \w+\.\1,\n/gm;

async function sourcesOf(folder: string, isConsole: boolean): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const own = names.filter((name) => /\.tsx?$/.test(name) && (isConsole || !/^console\W/.test(name)));
  const texts = own.map((name) => readFile(join(folder, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

/**
 * Schemas tell what they are in JSON Schema only where the service writes its documents. What they say of wrong values is shown to
 * nobody here, and no answer of the service holds itself.
 */
function leanSchemas(): Plugin {
  return {
    name: 'lean-schemas',
    apply: 'build',
    transform: {
      filter: { id: /zod\/v4\/classic\/schemas\.js/ },
      handler: (code) => ({
        code: code
          .replaceAll(TO_JSON_SCHEMA, '')
          .replaceAll(DEFAULTS, '')
          .replaceAll(LIMITS, '({})')
          .replaceAll('core.$ZodObjectJIT', 'core.$ZodObject'),
        map: null,
      }),
    },
  };
}

const TO_JSON_SCHEMA =
  /inst\._zod\.processJSONSchema = \(ctx, json, params\) => \w+\.\w+\(inst, ctx, json, params\);|jsonSchema: \{\s*input: .+?,\s*output: .+?,\s*\},|toJSONSchema\(params\) \{.+?\},(?=\s)/gs;

/** English messages, and what parses values that hold themselves. */
const DEFAULTS = /if \(!core\.globalConfig\.(?:localeError|memoizer)\)\s*core\.config\(.+?\);/g;

/** What a schema says that it allows. */
const LIMITS = /processors\.aggregateChecks\(inst\)/g;

/** Pages ask by queries alone: what changes something is signed, and sent by the SDK. */
function withoutMutations(): Plugin {
  return {
    name: 'without-mutations',
    apply: 'build',
    transform: {
      filter: { id: /query-core\/build\/modern\/mutationCache\.js/ },
      handler: () => ({ code: NO_MUTATIONS, map: null }),
    },
  };
}

/** What the client of queries asks of it. */
const NO_MUTATIONS = `export class MutationCache {
  clear() {}
  findAll() { return []; }
  resumePausedMutations() { return Promise.resolve(); }
}`;

/** Schemas are made by calls of `z`, which may be left out where nobody reads them; one of Preact's own functions is called the same. */
function otherNames(): Plugin {
  return {
    name: 'other-names',
    apply: 'build',
    transform: {
      filter: { id: /preact\/(?:hooks\/)?dist\// },
      handler: (code) => ({ code: code.replaceAll(/(?<![.\w$])z(?![\w$])/g, 'zed'), map: null }),
    },
  };
}

/** Every part of kit finds a copy of its own of what they share: the pages need one. */
function oneOfEach(): Plugin {
  const kit = createRequire(import.meta.url).resolve('@solana/kit');
  return {
    name: 'one-of-each',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^@solana\/(errors|codecs|functional)/ },
      handler(source, importer, options) {
        return importer === kit ? null : this.resolve(source, kit, { ...options, skipSelf: true });
      },
    },
  };
}
