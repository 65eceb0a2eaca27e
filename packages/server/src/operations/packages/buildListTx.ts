import { packageAddress, vaultAddress } from '@agent-relay/program-client';
import {
  checkDeadline,
  createUuid,
  DEFAULT_DEADLINE_SEC,
  packageTermsHash,
  parseSol,
  RelayError,
  uuidToBytes,
  type operations,
} from '@agent-relay/protocol';
import { address } from '@solana/kit';
import { buildListPackage } from '../../chain/walletTransactions.js';
import { insertDraft } from '../../db/packages.js';
import type { Run } from '../implement.js';
import { requireWallet } from '../requireWallet.js';

/** The program counts whole seconds. */
function wholeSeconds(instant: number): Date {
  return new Date(Math.floor(instant / 1000) * 1000);
}

export const buildListTx: Run<typeof operations.buildListTx> = async (context, input) => {
  requireWallet(context, 'shipperPubkey', input.shipperPubkey);
  const now = context.clock().getTime();
  const deadline = wholeSeconds(input.deadline?.getTime() ?? now + DEFAULT_DEADLINE_SEC * 1000);
  const fault = checkDeadline(deadline.getTime(), now);
  if (fault) throw RelayError.field(fault.code, fault.field, fault.message);

  const { programAddress } = context.chain;
  const id = createUuid();
  const onChainPackage = await packageAddress(programAddress, address(input.shipperPubkey), uuidToBytes(id));
  const terms = packageTermsHash({
    description: input.description,
    origin: { lat: input.originLat, lng: input.originLng },
    destination: { lat: input.destLat, lng: input.destLng },
    weightKg: input.weightKg,
    volumeLitres: input.volumeLitres,
  });
  const draft = {
    id,
    status: 'draft' as const,
    shipper_pubkey: input.shipperPubkey,
    funder_pubkey: input.shipperPubkey,
    origin_lat: input.originLat,
    origin_lng: input.originLng,
    dest_lat: input.destLat,
    dest_lng: input.destLng,
    description: input.description,
    weight_kg: input.weightKg,
    volume_litres: input.volumeLitres,
    max_budget_lamports: parseSol(input.maxBudgetSol),
    deadline,
    terms_hash: terms.hex,
    on_chain_package: onChainPackage,
    on_chain_vault: await vaultAddress(programAddress, onChainPackage),
  };
  const unsigned = await buildListPackage(context.chain, draft);
  await insertDraft(context.db, draft);
  return {
    answer: {
      packageId: id,
      ...unsigned,
      onChainPackage,
      onChainVault: draft.on_chain_vault,
      termsHash: terms.hex,
    },
  };
};
