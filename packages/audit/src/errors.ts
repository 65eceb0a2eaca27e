import type { Misfit } from '@legwork/program-client/facts';

/** The audit could not do its work, which says nothing about the rows; the message says what would let it. */
export class AuditImpossibleError extends Error {
  override readonly name = 'AuditImpossibleError';
}

/** The error when the target of a setting does not answer, or does not let the audit in. Its cause is the target's answer. */
export function unreachable(setting: 'DATABASE_URL' | 'SOLANA_RPC_URL', cause: unknown): AuditImpossibleError {
  const what = setting === 'DATABASE_URL' ? 'database' : 'ledger';
  return new AuditImpossibleError(`The ${what} that ${setting} names cannot be used: ${reasonOf(cause)}.`, { cause });
}

/** The words of an error; a connection that was refused at several addresses has them in the errors it gathers. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** The program accepted every instruction of the history, so one that does not fit means that some before it are missing. */
export function gapBefore({ signature, misfit }: Misfit): AuditImpossibleError {
  return new AuditImpossibleError(
    `Transaction ${signature} cannot follow what this node tells of the ledger's history: ${misfit}. ` +
      'Set SOLANA_RPC_URL to a node that has kept all of it.',
  );
}
