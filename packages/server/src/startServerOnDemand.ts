import type { startServer as start } from './startServer.js';

/**
 * `startServer`, whose modules are loaded when it is called: the audit, the check of an export and a bundled PostgreSQL
 * need none of them, and loading them takes nearly half of the time.
 */
export const startServer: typeof start = async (config, logTo) => {
  const service = await import('./startServer.js');
  return service.startServer(config, logTo);
};
