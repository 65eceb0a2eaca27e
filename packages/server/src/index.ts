export { audit, type AuditOptions, type AuditReport } from './audit/audit.js';
export type { Finding } from './audit/findings.js';
export { ConfigError, loadConfig, type Config } from './config.js';
export { environment } from './environment.js';
export { ForeignDatabase, PortInUse, Unreachable } from './errors.js';
export { openLog } from './logging/createLogger.js';
export {
  PostgresFailed,
  PostgresInUse,
  PostgresUnavailable,
  runningPostgres,
  startPostgres,
  type Postgres,
  type PostgresOptions,
} from './postgres/index.js';
export { checkClaims, type ClaimsCheck, type ClaimsCheckOptions } from './rewards/checkClaims.js';
export type { RunningServer } from './startServer.js';
export { startServer } from './startServerOnDemand.js';
