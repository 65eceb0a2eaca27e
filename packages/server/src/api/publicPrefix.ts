import type { FastifyInstance } from 'fastify';

/** What of a URL lies behind the prefix of a public address; the URL itself when it has none. Rule S-26. */
export function withoutPrefix(url: string, prefixes: readonly string[]): string {
  const [path = ''] = url.split('?', 1);
  const prefix = prefixes.find((one) => path === one || path.startsWith(`${one}/`));
  if (prefix === undefined) return url;
  const rest = url.slice(prefix.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The paths of the routes made after this, those with parameters left out. */
export function collectPaths(app: FastifyInstance): Set<string> {
  const paths = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    if (!/[:*]/.test(url)) paths.add(url);
  });
  return paths;
}
