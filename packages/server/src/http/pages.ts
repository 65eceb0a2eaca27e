import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from '../api/methods.js';
import type { AppContext } from '../context.js';
import { renderHomePage } from './homePage.js';
import { renderRewardsPage } from './rewardsPage.js';

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

/** The pages for people: `/` says what this is, `/rewards` takes claims, `/docs` shows the API. They need no other host. Rule S-41. */
export async function servePages(app: FastifyInstance, context: AppContext, document: object): Promise<void> {
  // The page sends its requests to the host it was loaded from; the service may have several.
  const { pathname } = new URL(context.publicUrl);
  const shown = { ...document, servers: [{ url: pathname }] };
  const specification: StaticDocumentSpec = { document: JSON.parse(JSON.stringify(shown)) };
  await app.register(async (pages) => {
    await pages.register(helmet, PAGE_HEADERS);
    pages.get('/', async (_request, reply) => {
      const counts = await context.counts();
      const { publicUrl, mcpUrl, config, ledger } = context;
      reply.header('content-type', 'text/html; charset=utf-8').header('cache-control', 'no-cache');
      return renderHomePage({
        publicUrl,
        mcpUrl,
        cluster: config.cluster,
        rpcUrl: config.rpcUrl,
        programId: config.programId,
        coordinator: ledger.coordinator.address,
        counts,
      });
    });
    routeRewards(pages, context);
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
  refuseOtherMethods(app, '/', ['GET']);
  refuseOtherMethods(app, '/docs', ['GET']);
  refuseOtherMethods(app, '/rewards', ['GET']);
  refuseOtherMethods(app, '/rewards/:module', ['GET']);
}

/** The page at `/rewards` and its script. Rule S-69. */
function routeRewards(pages: FastifyInstance, { publicUrl, config, clock }: AppContext): void {
  const { cluster, claimWindow } = config;
  pages.get('/rewards', async (_request, reply) => {
    reply.header('content-type', 'text/html; charset=utf-8').header('cache-control', 'no-cache');
    return renderRewardsPage({ publicUrl, cluster, claimWindow, now: clock() });
  });
  pages.get<{ Params: { module: string } }>('/rewards/:module', async ({ params }, reply) => {
    const text = await webModule(params.module);
    if (text === undefined) return reply.callNotFound();
    reply.header('content-type', 'text/javascript; charset=utf-8').header('cache-control', 'no-cache');
    return text;
  });
}

/** What `web/` is compiled to; the path is the same from the sources and from the compiled code. */
const COMPILED = join(import.meta.dirname, '../../dist/web');

async function readModules(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(COMPILED)).filter((name) => name.endsWith('.js'));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(COMPILED, name), 'utf8')] as const)),
  );
}

let modules: Promise<ReadonlyMap<string, string>> | undefined;

/** The text of a page's script module, read once; undefined when there is none of that name. */
async function webModule(name: string): Promise<string | undefined> {
  modules ??= readModules();
  return (await modules).get(name);
}
