import { isIPv6 } from 'node:net';
import type { AppContext } from '../context.js';

/** Where clients find the service: a host, and what stands before its paths there. */
interface PublicBase {
  host: string;
  /** Without a slash at the end; empty: nothing. */
  prefix: string;
}

type Addresses = Pick<AppContext, 'config' | 'publicUrl'> & Partial<Pick<AppContext, 'certificate'>>;

function publicBases({ config, publicUrl }: Addresses): PublicBase[] {
  return [publicUrl, config.mcpPublicUrl ?? publicUrl].map((url) => {
    const { host, pathname } = new URL(url);
    return { host, prefix: pathname.replace(/\/$/, '') };
  });
}

/** How a client that speaks TLS names this machine and the port. */
function hostAt(name: string, port: number | undefined): string {
  const { host } = new URL(httpsAddress(name, port));
  return host;
}

/** Where TLS is spoken. @param name of the machine, or its address */
export function httpsAddress(name: string, port: number | undefined): string {
  const suffix = port === undefined || port === 443 ? '' : `:${port}`;
  return `https://${isIPv6(name) ? `[${name}]` : name}${suffix}`;
}

/**
 * The hosts a request may be signed for: the public ones, this machine's own names with the port in use, and those that its certificate
 * is for. Rule S-11.
 */
export function servedHosts(addresses: Addresses, port: number | undefined): string[] {
  const suffix = port === undefined || port === 80 ? '' : `:${port}`;
  const local = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}${suffix}`);
  const certified = (addresses.certificate?.hosts ?? []).map((name) => hostAt(name, port));
  return [...new Set([...publicBases(addresses).map(({ host }) => host), ...local, ...certified])];
}

/**
 * The paths that a client may have signed: the one that arrived and, where a proxy takes the prefix of a public address
 * off, that prefix before it. Rule S-26.
 */
export function signedPaths(
  addresses: Addresses,
  host: string,
  arrived: string,
  routed: string,
): [string, ...string[]] {
  const prefixed = publicBases(addresses)
    .filter((base) => base.host === host)
    .map(({ prefix }) => `${prefix}${routed}`);
  return [arrived, ...new Set(prefixed.filter((path) => path !== arrived))];
}

/** Path prefixes of the public addresses, longest first. */
export function publicPrefixes(addresses: Addresses): string[] {
  const prefixes = publicBases(addresses).map(({ prefix }) => prefix);
  return [...new Set(prefixes)].filter((prefix) => prefix !== '').sort((a, b) => b.length - a.length);
}

/** The part of a URL after the prefix of a public address; the URL itself when it has none. */
export function withoutPrefix(url: string, prefixes: readonly string[]): string {
  const [path = ''] = url.split('?', 1);
  const prefix = prefixes.find((one) => path === one || path.startsWith(`${one}/`));
  if (prefix === undefined) return url;
  const rest = url.slice(prefix.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
