export { ConfigError, loadConfig, type Config } from './config.js';
export { environment } from './environment.js';
export { ForeignDatabaseError, PortInUseError, UnreachableError } from './errors.js';
export { openLog } from './logging/createLogger.js';
export type { RunningServer } from './startServer.js';
export { startServer } from './startServerOnDemand.js';
