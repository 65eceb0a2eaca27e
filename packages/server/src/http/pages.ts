import helmet from '@fastify/helmet';
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { AppContext } from '../context.js';
import { serveDashboard } from './dashboard.js';

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
