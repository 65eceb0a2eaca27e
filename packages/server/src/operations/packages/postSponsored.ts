import { getPackageSize } from '@legwork/program-client';
import type { operations } from '@legwork/protocol/contract';
import { listing } from '../../coordinator/decisions.js';
import { findByRequestKey, findPackage, insertDraft, isListed } from '../../db/packages.js';
import { packageSubject } from '../../db/subjects.js';
import type { Run } from '../run.js';
import type { FundedKind } from '../sponsorCaps.js';
import { sponsor, type ToBeFunded, untilListed } from '../sponsoring.js';
import { type Draft, draftPackage } from './draft.js';
import { readPackage } from './view.js';

const KIND: FundedKind = { noun: 'package', path: '/packages' };

export const postSponsored: Run<typeof operations.postSponsored> = async (context, input, caller) => {
  // Looked up before the draft is checked: a deadline that was far enough at the first try may be too near now.
  const { requestKey } = caller;
  const earlier = requestKey === undefined ? undefined : await findByRequestKey(context.db, requestKey);
  const { address: coordinator } = context.ledger.coordinator;
  const id =
    earlier?.id ?? (await sponsor(context, packageToFund(await draftPackage(context, input, coordinator)), caller));
  const expected = {
    kind: KIND,
    id,
    intentKey: listIntentKey(id),
    find: () => findPackage(context.db, id),
    isListed,
  };
  await untilListed(context, expected, caller);
  return { answer: await readPackage(context, id) };
};

const listIntentKey = (packageId: string) => `list_package:${packageId}`;

/** What funding a package takes. */
export function packageToFund(draft: Draft): ToBeFunded {
  const { id } = draft;
  return {
    kind: KIND,
    id,
    posterPubkey: draft.shipper_pubkey,
    budget: draft.max_budget_lamports,
    deadline: draft.deadline,
    accountBytes: getPackageSize(),
    findEarlier: findByRequestKey,
    insert: (trx, requestKey) => insertDraft(trx, { ...draft, request_key: requestKey }),
    intent: { kind: 'list_package', subject: packageSubject(id), key: listIntentKey(id), packageId: id },
    listing: listing(draft),
  };
}
