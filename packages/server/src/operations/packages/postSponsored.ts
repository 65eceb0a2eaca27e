import { createSalt, type operations } from '@legwork/protocol/contract';
import { listing } from '../../coordinator/decisions.js';
import { findByRequestKey, findPackage, insertDraft } from '../../db/packages.js';
import { packageSubject } from '../../db/subjects.js';
import type { Run } from '../run.js';
import { type Fundable, postFunded, type ToBeFunded } from '../sponsoring.js';
import { type Draft, draftPackage } from './draft.js';
import { packageBytes } from '../../ledger/terms.js';
import { readPackage } from './view.js';

const PACKAGES: Fundable = {
  kind: { noun: 'package', path: '/packages' },
  subject: packageSubject,
  intentKey: (id) => `list_package:${id}`,
  find: findPackage,
  findEarlier: findByRequestKey,
};

export const postSponsored: Run<typeof operations.postSponsored> = async (context, input, caller) => {
  const funder = context.ledger.coordinator.address;
  const draft = async () => packageToFund(await draftPackage(context, { ...input, salt: createSalt() }, funder));
  const id = await postFunded(context, PACKAGES, draft, caller);
  return { answer: await readPackage(context, id) };
};

/** What funding a package takes. */
export function packageToFund(draft: Draft): ToBeFunded {
  const { id } = draft;
  return {
    of: PACKAGES,
    id,
    posterPubkey: draft.shipper_pubkey,
    budget: draft.max_budget_lamports,
    deadline: draft.deadline,
    accountBytes: packageBytes(draft.terms),
    insert: (trx, requestKey) => insertDraft(trx, { ...draft, request_key: requestKey }),
    intent: { kind: 'list_package', subject: packageSubject(id), key: PACKAGES.intentKey(id), packageId: id },
    listing: listing(draft),
  };
}
