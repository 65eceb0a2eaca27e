// Compiles the TypeScript blocks of our Markdown pages, those of a page as one module, against the built packages as users have them.
//   node scripts/docs/typescript.mjs
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../bootstrap.mjs';
import { markdownFiles } from './pages.mjs';

const FOLDER = join(root, 'node_modules/.blocks');

/** The blocks of a page. Everything else becomes an empty line, so that the compiler names the line of the page. */
function moduleOf(page) {
  let inside = false;
  const lines = readFileSync(join(root, page), 'utf8')
    .split('\n')
    .map((line) => {
      if (!line.startsWith('```')) return inside ? line : '';
      inside = line === '```ts';
      return '';
    });
  return { name: `${page.replaceAll(/[\\/]/g, '.')}.ts`, text: lines.join('\n') };
}

const modules = markdownFiles('')
  .map(moduleOf)
  .filter(({ text }) => text.trim() !== '');
try {
  mkdirSync(FOLDER, { recursive: true });
  for (const { name, text } of modules) writeFileSync(join(FOLDER, name), text);
  const compilerOptions = { composite: false, noEmit: true };
  const config = { extends: '../../tsconfig.base.json', compilerOptions, files: modules.map(({ name }) => name) };
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(config));
  const { code } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', FOLDER], {
    show: true,
  });
  process.exitCode = code;
} finally {
  rmSync(FOLDER, { recursive: true, force: true });
}
