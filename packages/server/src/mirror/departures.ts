/** One of the terms of a listing: what the ledger shows, and what the draft says. */
export type Term = [name: string, found: unknown, wanted: unknown];

/** What of a listing is not as its draft says, in words. */
export function departuresAmong(terms: readonly Term[]): string[] {
  return terms
    .filter(([, found, wanted]) => found !== wanted)
    .map(([name, found, wanted]) => `its ${name} is ${String(found)} instead of ${String(wanted)}`);
}
