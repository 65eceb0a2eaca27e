import type { Terms as LedgerTerms } from '@legwork/program-client';
import type { Terms } from '@legwork/protocol/contract';
import { m, type Message, t } from '../language.js';

/** What a check in this browser found. */
export type Outcome =
  | { readonly holds: true /** What was seen, such as `slot 397`. */; readonly seen?: string }
  | { readonly holds: false /** The first difference, in a sentence. */; readonly difference: string };

/** Stands on the ledger where terms name no receiver. */
const NOBODY = '11111111111111111111111111111111';

/** Each of the terms: what is said where it differs, and its value here and on the ledger. */
const FIELDS: readonly (readonly [Message, (shown: Terms) => unknown, (found: LedgerTerms) => unknown])[] = [
  [
    m('Its receiver is {found}, not {shown}.'),
    ({ receiverPubkey }) => receiverPubkey ?? NOBODY,
    ({ receiver }) => receiver,
  ],
  [m('Its arbiter is {found}, not {shown}.'), ({ arbiterPubkey }) => arbiterPubkey, ({ arbiter }) => arbiter],
  [m('Its stake, in base units, is {found}, not {shown}.'), ({ stake }) => stake, ({ stake }) => stake],
  [m('Its time to carry, in seconds, is {found}, not {shown}.'), ({ carrySec }) => carrySec, ({ carry }) => carry],
  [
    m('Its time to accept, in seconds, is {found}, not {shown}.'),
    ({ handoffSec }) => handoffSec,
    ({ handoff }) => handoff,
  ],
  [
    m('Its time to dispute, in seconds, is {found}, not {shown}.'),
    ({ reviewSec }) => reviewSec,
    ({ review }) => review,
  ],
  [
    m('Its time to rule, in seconds, is {found}, not {shown}.'),
    ({ arbitrationSec }) => arbitrationSec,
    ({ arbitration }) => arbitration,
  ],
  [m('Its flag is {found}, not {shown}.'), ({ cosignedPickup }) => Number(cosignedPickup), ({ flags }) => flags],
];

/**
 * How terms on the ledger, or in a transaction, differ from those that somebody chose or is shown; undefined: in nothing.
 *
 * @param found null: there are none
 */
export function boundDiffers(shown: Terms | null, found: LedgerTerms | null): string | undefined {
  if (shown === null || found === null) {
    if (shown === found) return undefined;
    return shown === null ? t('It has stakes and clocks, which are not shown.') : t('It has no stakes or clocks.');
  }
  const differing = FIELDS.find(([, wanted, there]) => String(wanted(shown)) !== String(there(found)));
  if (differing === undefined) return undefined;
  const [says, wanted, there] = differing;
  return t(says, { found: String(there(found)), shown: String(wanted(shown)) });
}
