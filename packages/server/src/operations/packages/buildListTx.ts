import type { operations } from '@legwork/protocol/contract';
import { address } from '@solana/kit';
import { buildListPackage } from '../../ledger/packageInstructions.js';
import { insertDraft } from '../../db/packages.js';
import { insertPrivateParts } from '../../db/personalData.js';
import { inTransaction } from '../../db/transaction.js';
import { sealPrivateParts } from '../personalData/privateParts.js';
import { clientKey } from '../../api/limits.js';
import type { Run } from '../run.js';
import { draftPackage } from './draft.js';

export const buildListTx: Run<typeof operations.buildListTx> = async (context, input, { ip }) => {
  const draft = await draftPackage(context, input, address(input.shipperPubkey));
  await context.limits.take('drafts', clientKey(ip));
  const unsigned = await buildListPackage(context.ledger, draft);
  const sealed = input.private && sealPrivateParts(context, draft.id, input.private);
  await inTransaction(context.db, async (trx) => {
    await insertDraft(trx, draft);
    if (sealed) await insertPrivateParts(trx, draft.id, sealed);
  });
  return {
    answer: {
      packageId: draft.id,
      ...unsigned,
      onChainPackage: draft.on_chain_package,
      onChainVault: draft.on_chain_vault,
      termsHash: draft.terms_hash,
    },
  };
};
