import type { IncomingMessage } from 'node:http';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import { operations, PAGES, type PageName } from '@legwork/protocol/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { z } from 'zod';
import { publicPrefixes } from '../api/addresses.js';
import { nothingAt } from '../api/problems.js';
import type { AppContext } from '../context.js';
import { getConfig } from '../operations/meta.js';
import { getStats } from '../operations/market.js';
import { catalogLink } from '../discovery/documents.js';
import { SUMMARY } from '../discovery/skill.js';
import { escapeHtml, renderFacts } from './facts.js';
import { ledgerUrlFor } from './ledgerRoute.js';
import { askBeforeUse, unlessKept, varyByAccept } from './representation.js';
import swagger from '@fastify/swagger';
import type { StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';

/** The output of the dashboard's build: the shells, and assets whose names hold their hashes. */
interface Built {
  readonly assets: string;
  readonly shell: string;
  /** Of the receiver's page, which is small enough for a door with a bad network. */
  readonly trackShell: string;
  /** Of the pages of operators and arbiters. */
  readonly consoleShell: string;
  /** The service worker, which keeps pages for where there is no network. */
  readonly worker: string;
  /** The page that needs no service, whole. */
  readonly exit: string;
  readonly names: ReadonlySet<string>;
}

async function readBuilt(): Promise<Built> {
  const shell = fileURLToPath(import.meta.resolve('@legwork/dashboard/index.html'));
  const assets = join(shell, '../assets');
  const files = await readdir(assets, { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(assets.length + 1)
        .replaceAll('\\', '/'),
    );
  const text = (name: string) => readFile(join(shell, '..', name), 'utf8');
  const [main = '', trackShell = '', consoleShell = '', worker = '', exit = ''] = await Promise.all(
    ['index.html', 'track.html', 'console.html', 'worker.js', 'exit.html'].map(text),
  );
  return { assets, shell: main, trackShell, consoleShell, worker, exit, names: new Set(paths) };
}

/**
 * The output of the newest build. A rebuild under a running service serves the new pages, not shells whose scripts are gone: the
 * page that needs no service is written last.
 */
async function followBuilt(): Promise<() => Promise<Built>> {
  const last = fileURLToPath(import.meta.resolve('@legwork/dashboard/exit.html'));
  const writtenAt = async () => (await stat(last)).mtimeMs;
  let [at, built] = await Promise.all([writtenAt(), readBuilt()]);
  return async () => {
    try {
      const now = await writtenAt();
      if (now !== at) [at, built] = [now, await readBuilt()];
    } catch {
      // It is being built: what was there before is served as long as it is there.
    }
    return built;
  };
}

/**
 * The dashboard: one shell at the path of every page, and its assets. There is no fallback: a path that is no page stays
 * not found, for a browser by a page that says so. Rules D-1 to D-4.
 */
async function serveDashboard(app: FastifyInstance, context: AppContext): Promise<void> {
  const current = await followBuilt();
  await app.register(async (pages) => {
    await pages.register(helmet, headers(context));
    for (const [name, path] of Object.entries(PAGES)) {
      pages.get(path, async (request, reply) => {
        if (name === 'overview') {
          const answered = await answerRoot(request, reply, context);
          if (answered !== undefined) return answered;
        }
        return sendShell(request, reply, { context, shell: shellOf(await current(), name as PageName) });
      });
    }
    // It keeps pages of all paths below its own, so it has no place among the assets; browsers ask for it again by themselves.
    pages.get('/worker.js', async (_, reply) => {
      askBeforeUse(reply);
      return reply.header('content-type', 'text/javascript; charset=utf-8').send((await current()).worker);
    });
  });
  // Its own policy stands in it, so that it is the same file everywhere; nobody puts it into a page of theirs.
  app.get('/exit.html', async (_, reply) => {
    askBeforeUse(reply);
    const alone = { 'content-security-policy': "frame-ancestors 'none'", 'x-frame-options': 'DENY' };
    return reply
      .headers({ 'content-type': HTML, 'x-content-type-options': 'nosniff', ...alone })
      .send((await current()).exit);
  });
  await serveAssets(app, current);
  app.setNotFoundHandler(async (request, reply) => {
    if (!wantsPage(request, reply)) throw nothingAt(request);
    reply.helmet(headers(context));
    reply.code(404).header('content-type', HTML);
    askBeforeUse(reply);
    return withBase((await current()).shell, request).replace(ROOT, `${ROOT}\n${NOTHING_HERE}`);
  });
}

function shellOf({ shell, trackShell, consoleShell }: Built, name: PageName): string {
  if (name === 'track') return trackShell;
  return name === 'ops' || name === 'desk' ? consoleShell : shell;
}

const HTML = 'text/html; charset=utf-8';
const ROOT = '<div id="root"></div>';
const TITLE = '<title>Legwork</title>';
/** How the picture that others show with a link to a page is named in the shell. */
const PICTURE = 'content="./assets/';
/** Nothing of the address stands in it, and nothing is read for it: anybody can make up addresses. */
const NOTHING_HERE = '<noscript><h1>Page not found</h1><p>No page has this address.</p></noscript>';
/** Deeper paths than this are nobody's mistake, and would make the page long. */
const MAX_DEPTH = 12;

/** True if the client that got lost is a browser, not a program that called the API. */
export function wantsPage(request: FastifyRequest, reply: FastifyReply): boolean {
  const { method, headers: asked } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  varyByAccept(reply);
  const preferred = new Negotiator({ headers: asked }).mediaType(['application/json', 'text/html']);
  return preferred === 'text/html' && depthOf(request) <= MAX_DEPTH;
}

/** Pages run our scripts alone, and speak to the service and to the ledger's RPC; strict transport is up to the proxy that terminates TLS. */
function headers(context: AppContext) {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        connectSrc: ["'self'", (request: IncomingMessage) => new URL(ledgerUrlFor(context, request)).origin],
        workerSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false,
  } as const;
}

/** Answers a request for JSON at `/` with the places of the service; under a prefix without its slash, pages would look beside it. */
async function answerRoot(request: FastifyRequest, reply: FastifyReply, context: AppContext): Promise<unknown> {
  const { originalUrl, headers: asked } = request;
  const [path = '', query] = originalUrl.split('?', 2);
  if (publicPrefixes(context).includes(path)) {
    return reply.redirect(`${path}/${query === undefined ? '' : `?${query}`}`, 308);
  }
  varyByAccept(reply);
  if (new Negotiator({ headers: asked }).mediaType(['text/html', 'application/json']) !== 'application/json')
    return undefined;
  const { publicUrl, mcpUrl } = context;
  reply.header('link', catalogLink(publicUrl));
  return {
    name: 'Legwork',
    openapi: `${publicUrl}/openapi.json`,
    config: `${publicUrl}/config`,
    mcp: mcpUrl,
    ws: `${publicUrl.replace(/^http/, 'ws')}/ws`,
  };
}

/** The shell finds its assets and the service relative to itself: whatever a proxy puts before the paths, they hold. */
async function sendShell(
  request: FastifyRequest,
  reply: FastifyReply,
  { context, shell: built }: { context: AppContext; shell: string },
): Promise<string | FastifyReply> {
  const [{ answer: config }, { answer: stats }, counts] = await Promise.all([
    getConfig(context, {}, { pubkey: undefined, ip: '', ledgerUrl: ledgerUrlFor(context, request.raw) }),
    getStats(context),
    context.counts(),
  ]);
  const facts = renderFacts({ ...config, coordinator: config.coordinatorPubkey, counts });
  const written = {
    config: z.encode(operations.getConfig.answer, config),
    stats: z.encode(operations.getStats.answer, stats),
    operationsPublic: context.config.operationsPublic,
  };
  const shell = built.replace(PICTURE, () => `content="${escapeHtml(context.publicUrl)}/assets/`);
  const html = withBase(shell, request)
    .replace(TITLE, () => `${TITLE}\n${headFor(request, context)}`)
    .replace(ROOT, () => `${ROOT}\n${inscribed(written)}\n<noscript>${facts}</noscript>`);
  reply.headers({ 'content-type': HTML, link: catalogLink(context.publicUrl) });
  askBeforeUse(reply);
  return unlessKept(request, reply, html);
}

/** The head for programs that read pages: what this is, where it is, and the documents that are meant for them. Rule S-170. */
function headFor({ url }: FastifyRequest, { publicUrl }: AppContext): string {
  const base = escapeHtml(publicUrl);
  const at = base + escapeHtml(url.split('?', 1)[0] ?? '');
  const shown = { title: 'Legwork', site_name: 'Legwork', description: SUMMARY, type: 'website', url: at };
  return [
    `<meta name="description" content="${SUMMARY}" />`,
    `<link rel="canonical" href="${at}" />`,
    `<link rel="alternate" type="text/markdown" title="Skill for agents" href="${base}/SKILL.md" />`,
    `<link rel="alternate" type="text/plain" title="llms.txt" href="${base}/llms.txt" />`,
    `<link rel="service-desc" type="application/json" href="${base}/openapi.json" />`,
    `<link rel="service-doc" type="text/html" href="${base}/docs" />`,
    `<link rel="api-catalog" href="${base}/.well-known/api-catalog" />`,
    ...Object.entries(shown).map(([name, content]) => `<meta property="og:${name}" content="${content}" />`),
    '<meta name="twitter:card" content="summary_large_image" />',
  ].join('\n');
}

/** How many parts the path has. */
const depthOf = ({ url }: FastifyRequest): number => (url.split('?', 1)[0] ?? '').slice(1).split('/').length;

/** The shell as it finds its assets and the service from the address that was asked for. Rule D-2. */
function withBase(shell: string, request: FastifyRequest): string {
  const up = '../'.repeat(depthOf(request) - 1) || './';
  return shell
    .replace('<html lang="en">', `<html lang="en" data-base="${up}">`)
    .replaceAll('"./assets/', `"${up}assets/`);
}

/** Data for the script, in a form that no text in it can end. */
function inscribed(data: object): string {
  return `<script type="application/json" id="service">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;
}

/** Assets never change under their names, so they are kept for ever; nothing else of the disk can be named. */
async function serveAssets(app: FastifyInstance, current: () => Promise<Built>): Promise<void> {
  const { assets } = await current();
  await app.register(async (files) => {
    await files.register(fastifyStatic, {
      root: assets,
      serve: false,
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
    });
    files.get<{ Params: { '*': string } }>('/assets/*', { config: { limit: 'none' } }, async ({ params }, reply) => {
      const name = params['*'];
      return (await current()).names.has(name) ? reply.sendFile(name) : reply.callNotFound();
    });
  });
}

/** Security headers of pages. Nothing is loaded from another host; strict transport is up to the proxy that terminates TLS. */
const PAGE_HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      styleSrc: ["'self'", "'unsafe-inline'"],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
} as const;

/** The pages for people: the dashboard, and `/docs`, which shows the API. They need no other host. Rule S-41. */
export async function servePages(app: FastifyInstance, context: AppContext, document: object): Promise<void> {
  // The page sends its requests to the host it was loaded from; the service may have several.
  const { pathname } = new URL(context.publicUrl);
  const shown = { ...document, servers: [{ url: pathname }] };
  const specification: StaticDocumentSpec = { document: JSON.parse(JSON.stringify(shown)) };
  await serveDashboard(app, context);
  await app.register(async (pages) => {
    await pages.register(helmet, PAGE_HEADERS);
    await pages.register(swagger, { mode: 'static', specification });
    await pages.register(swaggerUi, {
      routePrefix: '/docs',
      indexPrefix: pathname,
      // The validator badge would ask a server on the internet.
      uiConfig: { validatorUrl: null, docExpansion: 'list', deepLinking: true },
      // The top bar would show another project's logo and a field for other addresses.
      theme: { title: 'Legwork API', css: [{ filename: 'page.css', content: '.topbar { display: none }' }] },
    });
  });
}
