/** What a function did that lands a transaction and then does more: what landed is never told as failed. */
export interface Landed {
  /** Of the transaction, which the ledger has confirmed. */
  readonly signature: string;
  /** What could not be done after it; null: everything is done. Calling the function again goes on from here and pays nothing twice. */
  readonly open: OpenStep | null;
}

export interface OpenStep {
  /** What is still to do, in words. */
  readonly what: string;
  /** Why it could not be done: a refusal of the wallet, an outage, a limit. */
  readonly why: Error;
}

/**
 * Does what follows a transaction that landed.
 *
 * @param signature of the transaction
 * @param step what follows, in words and as a function
 * @param otherwise what to answer when that fails: what is known from the transaction alone
 */
export async function afterLanding<T extends object>(
  signature: string,
  step: { readonly what: string; readonly take: () => Promise<T> },
  otherwise: T,
): Promise<T & Landed> {
  try {
    return { ...(await step.take()), signature, open: null };
  } catch (error) {
    const why = error instanceof Error ? error : new Error(String(error));
    return { ...otherwise, signature, open: { what: step.what, why } };
  }
}
