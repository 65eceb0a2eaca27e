// Checks what our Markdown pages point at: files, headings of other pages, and paths in `code`.
//   node scripts/docs/links.mjs
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../bootstrap.mjs';
import { markdownFiles } from './pages.mjs';

/** A path in `code`, from the project's folder or from the page's. */
const PATH = /`((?:bench|docs|examples|idl|packages|program|scripts|soak|src|tests|web)\/[\w./-]+)`/g;

/** The headings of a page, as links name them. */
function anchorsOf(text) {
  const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title.toLowerCase());
  return new Set(titles.map((title) => title.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

const pages = new Map(markdownFiles('').map((page) => [page, readFileSync(join(root, page), 'utf8')]));

/** What a page points at and is not there. */
function brokenLinks([page, text]) {
  const prose = text.replaceAll(/^ *```[^]*?^ *```/gm, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .filter(([, target]) => !/^[a-z]+:/.test(target))
    .map(([, target]) => target.split('#'))
    .map(([path, anchor]) => ({ path: path === '' ? page : join(dirname(page), decodeURI(path)), anchor }));
  const named = [...prose.matchAll(PATH)]
    .map(([, path]) => ({ path }))
    .filter(({ path }) => !existsSync(join(root, dirname(page), path)));
  const hasHeading = ({ path, anchor }) => !anchor || anchorsOf(pages.get(path) ?? '').has(anchor);
  return [...links, ...named]
    .filter((link) => !existsSync(join(root, link.path)) || !hasHeading(link))
    .map(({ path, anchor }) => `${page}: ${path}${anchor ? `#${anchor}` : ''} does not exist`);
}

const broken = [...pages].flatMap(brokenLinks);
if (broken.length > 0) {
  console.error(broken.join('\n'));
  process.exitCode = 1;
}
