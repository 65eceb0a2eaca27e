/** A running ledger, as far as another process needs to know it. */
export interface LedgerFacts {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly programAddress: string;
  /** File with the hot key that may form swarms and settle. */
  readonly coordinatorKeypairPath: string;
}

/** What a ledger child tells the process that started it. */
export type FromLedger =
  | { readonly type: 'ready'; readonly ledger: LedgerFacts }
  | { readonly type: 'failed'; readonly message: string };

/** What that process tells its ledger child. If it vanishes instead, the child ends as well. */
export interface ToLedger {
  readonly type: 'close';
}
