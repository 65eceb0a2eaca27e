import type { FastifyInstance } from 'fastify';

/**
 * How long requests under way may take once the service was asked to stop, milliseconds. What is still open then is cut:
 * a client that does not finish sending or reading, or a request that waits for a ledger which does not answer.
 */
export const REQUESTS_GRACE_MS = 5_000;
/** While draining, connections that have become idle are closed this often: kept alive, they would hold the process. */
const IDLE_SWEEP_MS = 50;

/** Takes no new connection, and resolves once what is under way was answered or cut. Rule S-44. */
export async function drainHttp(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MS);
  const cut = setTimeout(() => app.server.closeAllConnections(), REQUESTS_GRACE_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}
