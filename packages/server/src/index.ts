export { ConfigError, environment, loadConfig, type Config } from './config.js';
export { ForeignDatabase, PortInUse, Unreachable } from './errors.js';
export {
  PostgresFailed,
  PostgresInUse,
  PostgresUnavailable,
  startPostgres,
  type Postgres,
  type PostgresOptions,
} from './postgres/index.js';
export { startServer, type RunningServer } from './startServer.js';
