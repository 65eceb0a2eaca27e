import type { startServer as start } from './startServer.js';

export { ConfigError, loadConfig, type Config } from './config.js';
export { environment } from './environment.js';
export { ForeignDatabaseError, PortInUseError, UnreachableError } from './errors.js';
export { isLoopback } from './logging/unsafeChoices.js';
export { openLog } from './logging/createLogger.js';
export type { RunningServer } from './startServer.js';

/**
 * `startServer`, whose modules are loaded when it is called: a command that only reads the settings needs none of them, and
 * loading them takes nearly half of its time.
 */
export const startServer: typeof start = async (config, options) => {
  const service = await import('./startServer.js');
  return service.startServer(config, options);
};
