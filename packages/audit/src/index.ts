export { audit, type AuditOptions, type AuditReport } from './audit.js';
export type { Finding } from './findings.js';
export { checkClaims, type ClaimsCheck, type ClaimsCheckOptions } from './checkClaims.js';
