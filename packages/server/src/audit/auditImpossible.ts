/** The audit could not do its work, which says nothing about the rows; the message says what would let it. */
export class AuditImpossible extends Error {
  override readonly name = 'AuditImpossible';
}

/** The program accepted every instruction of the history, so one that does not fit means that some before it are missing. */
export function gapBefore(signature: string, why: string): AuditImpossible {
  return new AuditImpossible(
    `Transaction ${signature} cannot follow what this node tells of the ledger's history: ${why}. ` +
      'Set SOLANA_RPC_URL to a node that has kept all of it.',
  );
}
