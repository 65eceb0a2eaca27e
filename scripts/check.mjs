// `npm run check`: everything a machine can say about the code without running it. Runs every step, names those that fail.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureInstalled, orExplain, root, run } from './bootstrap.mjs';
import { markdownFiles } from './docs/pages.mjs';

const node = (...args) => run(process.execPath, args);
const tool = (name, ...args) => run(join(root, 'node_modules/.bin', name), args);

/** A path in `code`, from the project's folder or from the page's. */
const PATH = /`((?:bench|docs|examples|idl|packages|program|scripts|soak|src|tests|web)\/[\w./-]+)`/g;

/** @type {[name: string, check: () => Promise<{ code: number, output: string }>][]} */
const steps = [
  // First, because the later ones read what it writes.
  ['types', () => tool('tsc', '-b')],
  ['format', () => tool('biome', 'format', '.')],
  ['lint', () => tool('oxlint', '--type-aware', '--deny-warnings')],
  ['types of tests', () => tool('tsc', '-p', 'tsconfig.tests.json')],
  ['every export is imported', () => tool('knip', '--no-progress')],
  ['generated program client is current', () => node('scripts/generate.mjs', '--check')],
  ['settings page is current', () => node('scripts/docs/configuration.mjs', '--check')],
  ['tools page is current', () => node('scripts/docs/tools.mjs', '--check')],
  ['index of the rules is current', () => node('scripts/docs/rules.mjs', '--check')],
  ['tests that try attacks exist', () => node('scripts/docs/attacks.mjs')],
  ['vectors are current', () => node('packages/protocol/vectors/generate.mjs', '--check')],
  ['lockfile names no registry', async () => problems(registryAddresses())],
  ['links in the documentation', async () => problems(brokenLinks())],
  ['TypeScript in the documentation', compileBlocks],
  ['shell in the documentation', () => node('scripts/docs/shell.mjs')],
];

function problems(lines) {
  return { code: lines.length === 0 ? 0 : 1, output: lines.join('\n') };
}

function registryAddresses() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([, { resolved }]) => /^\w+:/.test(resolved ?? ''))
    .map(([path, { resolved }]) => `package-lock.json: ${path} is tied to ${resolved}`);
}

/** What our pages point at that is not there: files, headings of pages, and paths in `code`. */
function brokenLinks() {
  const pages = markdownFiles('');
  const headings = new Map(pages.map((page) => [page, anchorsOf(readFileSync(join(root, page), 'utf8'))]));
  return pages.flatMap((page) => {
    const prose = readFileSync(join(root, page), 'utf8').replaceAll(/^ *```[^]*?^ *```/gm, '');
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
      .filter(([, target]) => !/^[a-z]+:/.test(target))
      .map(([, target]) => target.split('#'))
      .map(([path, anchor]) => ({ path: path === '' ? page : join(dirname(page), decodeURI(path)), anchor }));
    const named = [...prose.matchAll(PATH)]
      .map(([, path]) => ({ path }))
      .filter(({ path }) => !existsSync(join(root, dirname(page), path)));
    return [...links, ...named]
      .filter(({ path, anchor }) => !existsSync(join(root, path)) || (anchor && !headings.get(path)?.has(anchor)))
      .map(({ path, anchor }) => `${page}: ${path}${anchor ? `#${anchor}` : ''} does not exist`);
  });
}

/** The headings of a page, as links name them. */
function anchorsOf(text) {
  const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title.toLowerCase());
  return new Set(titles.map((title) => title.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

/** The TypeScript blocks of our Markdown files, those of a page as one module, against the built packages as users have them. */
async function compileBlocks() {
  const folder = join(root, 'node_modules/.blocks');
  const files = markdownFiles('').flatMap((page) => {
    // Everything else becomes an empty line, so that the compiler names the line of the page.
    let inside = false;
    const lines = readFileSync(join(root, page), 'utf8')
      .split('\n')
      .map((line) => {
        if (!line.startsWith('```')) return inside ? line : '';
        inside = line === '```ts';
        return '';
      });
    return lines.some(Boolean) ? [{ name: `${page.replaceAll(/[\\/]/g, '.')}.ts`, text: lines.join('\n') }] : [];
  });
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
    const compilerOptions = { composite: false, noEmit: true };
    const config = { extends: '../../tsconfig.base.json', compilerOptions, files: files.map(({ name }) => name) };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    return await tool('tsc', '-p', folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await orExplain(async () => {
  await ensureInstalled();
  const failed = [];
  for (const [name, check] of steps) {
    const started = performance.now();
    const { code, output } = await check();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
    if (code !== 0) {
      process.stdout.write(`${output.trim()}\n\n`);
      failed.push(name);
    }
  }
  if (failed.length === 0) return;
  process.stdout.write(`Failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
});
