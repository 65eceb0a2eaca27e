import type { AddressInfo } from 'node:net';

/** The port a listening server was given. */
export function portOf(server: { address(): AddressInfo | string | null }): number {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new TypeError('the server does not listen on a port');
  return bound.port;
}
