import type { Terms as LedgerTerms } from '@legwork/program-client';
import type { Terms } from '@legwork/protocol/contract';

/** What a check in this browser found. */
export type Outcome =
  | { readonly holds: true /** What was seen, such as `slot 397`. */; readonly seen?: string }
  | { readonly holds: false /** The first difference, in a sentence. */; readonly difference: string };

/** Stands on the ledger where terms name no receiver. */
const NOBODY = '11111111111111111111111111111111';

/** Each of the terms: what it is called, and its value here and on the ledger. */
const FIELDS: readonly (readonly [string, (shown: Terms) => unknown, (found: LedgerTerms) => unknown])[] = [
  ['receiver', ({ receiverPubkey }) => receiverPubkey ?? NOBODY, ({ receiver }) => receiver],
  ['arbiter', ({ arbiterPubkey }) => arbiterPubkey, ({ arbiter }) => arbiter],
  ['stake, in base units,', ({ stake }) => stake, ({ stake }) => stake],
  ['time to carry, in seconds,', ({ carrySec }) => carrySec, ({ carry }) => carry],
  ['time to accept, in seconds,', ({ handoffSec }) => handoffSec, ({ handoff }) => handoff],
  ['time to dispute, in seconds,', ({ reviewSec }) => reviewSec, ({ review }) => review],
  ['time to rule, in seconds,', ({ arbitrationSec }) => arbitrationSec, ({ arbitration }) => arbitration],
  ['flag', ({ cosignedPickup }) => Number(cosignedPickup), ({ flags }) => flags],
];

/**
 * How terms on the ledger, or in a transaction, differ from those that somebody chose or is shown; undefined: in nothing.
 *
 * @param found null: there are none
 */
export function boundDiffers(shown: Terms | null, found: LedgerTerms | null): string | undefined {
  if (shown === null || found === null) {
    if (shown === found) return undefined;
    return shown === null ? 'It has stakes and clocks, which are not shown.' : 'It has no stakes or clocks.';
  }
  const differing = FIELDS.find(([, wanted, there]) => String(wanted(shown)) !== String(there(found)));
  return differing && `Its ${differing[0]} is ${String(differing[2](found))}, not ${String(differing[1](shown))}.`;
}
