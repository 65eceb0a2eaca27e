import {
  configAddress,
  fetchMaybePackage,
  fetchMaybeSwarm,
  getCancelPackageInstruction,
  getSettleInstruction,
  legAddress,
  PackageStatus,
  packageAddress,
  swarmAddress,
  vaultAddress,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { Alone, Owned } from '../kind.js';

async function accountsOf({ programId, shipper, funder, id }: Owned) {
  const listing = await packageAddress(programId, shipper.address, uuidToBytes(id));
  const [config, vault] = await Promise.all([configAddress(programId), vaultAddress(programId, listing)]);
  return { signer: shipper, config, package: listing, vault, funder };
}

/** What the shipper of a package does with the ledger alone. */
export const PACKAGE_ALONE: Alone = {
  async cancel(owned) {
    return getCancelPackageInstruction(await accountsOf(owned), { programAddress: owned.programId });
  },

  async settle(rpc, owned) {
    const { programId } = owned;
    const accounts = await accountsOf(owned);
    const listing = await fetchMaybePackage(rpc, accounts.package, { commitment: 'confirmed' });
    if (!listing.exists) return 'early';
    if (listing.data.status > PackageStatus.InTransit) return 'over';
    const swarm = await swarmAddress(programId, accounts.package);
    const formed = await fetchMaybeSwarm(rpc, swarm, { commitment: 'confirmed' });
    if (!formed.exists || formed.data.completedLegs < formed.data.totalLegs) return 'early';
    const { totalLegs, rentPayer } = formed.data;
    const legs = await Promise.all([...Array(totalLegs).keys()].map((index) => legAddress(programId, swarm, index)));
    return getSettleInstruction({ ...accounts, swarm, rentPayer, legs }, { programAddress: programId });
  },
};
