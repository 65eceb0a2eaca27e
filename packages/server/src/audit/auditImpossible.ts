/** The audit could not do its work, which says nothing about the rows; the message says what would let it. */
export class AuditImpossible extends Error {
  override readonly name = 'AuditImpossible';
}
