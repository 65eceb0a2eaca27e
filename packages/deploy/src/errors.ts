/** A deployment that cannot go on. The message says why and how to fix it. */
export class DeployError extends Error {
  override readonly name = 'DeployError';
  readonly code = 'DEPLOY_FAILED';
}
