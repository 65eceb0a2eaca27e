import {
  getAssignTaskLegInstruction,
  getCancelTaskInstruction,
  getCloseTaskInstruction,
  getConfirmTaskLegInstruction,
  getListTaskInstruction,
  getReclaimTaskInstruction,
  getReleaseTaskLegInstruction,
  getSettleTaskInstruction,
} from '@legwork/program-client';
import { createNoopSigner } from '@solana/kit';
import { addresses, programAddress } from './fixtures.js';

export const TERMS = {
  taskId: Uint8Array.from({ length: 16 }, (_, index) => index),
  numLegs: 3,
  maxBudget: 5_000_000_000n,
  deadline: 1_900_000_000n,
  termsHash: new Uint8Array(32).fill(4),
};
export const RESULT_HASH = new Uint8Array(32).fill(5);

/** Every instruction about tasks by its name, with accounts that are all different ones. */
export async function taskFixtures() {
  const named = await addresses(
    ...(['signer', 'poster', 'funder', 'config', 'task', 'vault', 'taskLeg', 'agent', 'reputation', 'payer'] as const),
  );
  const { config, task, vault, taskLeg, agent, reputation, funder, payer: rentPayer } = named;
  const signer = createNoopSigner(named.signer);
  const to = { programAddress };
  const leg = { coordinator: signer, config, task, taskLeg };
  const ending = { signer, config, task, vault, funder };
  const [first, second] = Object.values(await addresses('first', 'second'));
  const legsWithRentPayers = [first, rentPayer, second, funder].filter((address) => address !== undefined);
  const instructions = {
    listTask: getListTaskInstruction({ funder: signer, poster: named.poster, config, task, vault, ...TERMS }, to),
    assignTaskLeg: getAssignTaskLegInstruction({ ...leg, agent, reputation, index: 2 }, to),
    releaseTaskLeg: getReleaseTaskLegInstruction({ ...leg, rentPayer, agent, index: 1 }, to),
    confirmTaskLeg: getConfirmTaskLegInstruction(
      { ...leg, signer, vault, agent, reputation, index: 3, resultHash: RESULT_HASH },
      to,
    ),
    settleTask: getSettleTaskInstruction({ ...ending, legsWithRentPayers }, to),
    cancelTask: getCancelTaskInstruction(ending, to),
    reclaimTask: getReclaimTaskInstruction({ ...ending, legsWithRentPayers }, to),
    closeTask: getCloseTaskInstruction({ signer, config, task, funder }, to),
  };
  return { instructions, named, legsWithRentPayers };
}
