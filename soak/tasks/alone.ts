import {
  configAddress,
  fetchAllMaybeTaskLeg,
  fetchMaybeTask,
  getCancelTaskInstruction,
  getSettleTaskInstruction,
  taskAddress,
  taskLegAddress,
  TaskStatus,
  vaultAddress,
} from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { Alone, Owned } from '../kind.js';

async function accountsOf({ programId, shipper, funder, id }: Owned) {
  const task = await taskAddress(programId, shipper.address, uuidToBytes(id));
  const [config, vault] = await Promise.all([configAddress(programId), vaultAddress(programId, task)]);
  return { signer: shipper, config, task, vault, funder };
}

/** What the poster of a digital task does with the ledger alone. */
export const TASK_ALONE: Alone = {
  async cancel(owned) {
    return getCancelTaskInstruction(await accountsOf(owned), { programAddress: owned.programId });
  },

  async settle(rpc, owned) {
    const { programId } = owned;
    const accounts = await accountsOf(owned);
    const task = await fetchMaybeTask(rpc, accounts.task, { commitment: 'confirmed' });
    if (!task.exists) return 'early';
    const { status, numLegs, completedLegs } = task.data;
    if (status > TaskStatus.InProgress) return 'over';
    if (completedLegs < numLegs) return 'early';
    const at = await Promise.all(
      [...Array(numLegs).keys()].map((index) => taskLegAddress(programId, accounts.task, index)),
    );
    const legs = await fetchAllMaybeTaskLeg(rpc, at, { commitment: 'confirmed' });
    const legsWithRentPayers = legs.flatMap((leg) => (leg.exists ? [leg.address, leg.data.rentPayer] : []));
    // The coordinator has settled it between the two reads.
    if (legsWithRentPayers.length < 2 * numLegs) return 'early';
    return getSettleTaskInstruction({ ...accounts, legsWithRentPayers }, { programAddress: programId });
  },
};
