// Checks what our Markdown pages point at: files, headings of other pages, and paths in `code`; that the tables of rooms name every
// folder, and what each package uses; and that no phrase comes back that docs/contributing/english.md replaces.
//   node scripts/docs/links.mjs
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** The targets of a page's links that are missing. */
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

const foldersIn = (path) =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** The packages of ours that one depends on at run time. */
function usedBy(name) {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  const ours = Object.keys(manifest.dependencies ?? {}).filter((one) => one.startsWith('@legwork/'));
  return ours.map((one) => one.slice('@legwork/'.length)).sort((one, other) => one.localeCompare(other));
}

/** Where the tables of rooms differ from the folders. */
function wrongRooms() {
  const rooms = pages.get('CONTRIBUTING.md') ?? '';
  const ofPackages = foldersIn('packages').flatMap((name) => {
    const row = new RegExp(`^\\| \\[packages/${name}\\]\\([^)]*\\) \\|[^|]*\\| ?([^|]*?) ?\\|$`, 'm').exec(rooms);
    if (!row) return [`CONTRIBUTING.md names no room packages/${name}`];
    const uses = usedBy(name).join(', ');
    return row[1] === uses ? [] : [`CONTRIBUTING.md says that packages/${name} uses "${row[1]}", not "${uses}"`];
  });
  const service = pages.get('packages/server/README.md') ?? '';
  const ofService = foldersIn('packages/server/src')
    .filter((name) => !service.includes(`\`src/${name}/\``))
    .map((name) => `packages/server/README.md names no room src/${name}`);
  return [...ofPackages, ...ofService];
}

const ENGLISH = 'docs/contributing/english.md';
/** Not in strings, where `image/*` begins none. */
const COMMENTS = /(?<=^|[\s{(])(?:\/\*[^]*?\*\/|\/\/.*$)/gm;

/** The text of every source of a package, without its comments: [path, text]. */
function* sources() {
  for (const name of foldersIn('packages')) {
    for (const path of readdirSync(join(root, 'packages', name, 'src'), { recursive: true })) {
      const file = join('packages', name, 'src', path);
      if (/\.tsx?$/.test(path)) yield [file, readFileSync(join(root, file), 'utf8').replaceAll(COMMENTS, '')];
    }
  }
}

/** Where a phrase of the left column of `ENGLISH` is said again. */
function oldPhrases() {
  const rows = (pages.get(ENGLISH) ?? '').matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm);
  const [, ...phrases] = [...rows].map(([, before]) => before.toLowerCase());
  const documents = [...pages].filter(([page]) => page === 'README.md' || page.startsWith('docs/'));
  return [...documents, ...sources()]
    .filter(([page]) => page !== ENGLISH)
    .flatMap(([page, text]) => {
      const said = text.toLowerCase().replaceAll(/\s+/g, ' ');
      return phrases.filter((phrase) => said.includes(phrase)).map((phrase) => `${page}: "${phrase}", see ${ENGLISH}`);
    });
}

const broken = [...[...pages].flatMap(brokenLinks), ...wrongRooms(), ...oldPhrases()];
if (broken.length > 0) {
  console.error(broken.join('\n'));
  process.exitCode = 1;
}
