import { decodeRelayInstruction, type RelayInstruction } from '@legwork/program-client';
import type { Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { programAddress } from './fixtures.js';
import { RESULT_HASH, taskFixtures, TERMS } from './taskFixtures.js';

function decoded(instruction: Instruction): RelayInstruction {
  const { accounts = [], data = new Uint8Array() } = instruction;
  const plain = accounts.map(({ address, role }) => ({ address, role }));
  const result = decodeRelayInstruction(programAddress, { programAddress, accounts: plain, data });
  if (!result) throw new Error('it is an instruction of the program');
  return result;
}

describe('decodeRelayInstruction', () => {
  test('names the instructions about tasks and their accounts', async () => {
    const { instructions, named } = await taskFixtures();
    for (const [name, instruction] of Object.entries(instructions)) {
      const { name: found, accounts } = decoded(instruction);
      expect(found).toBe(name);
      expect(accounts).toMatchObject({ config: { address: named.config }, task: { address: named.task } });
    }
  });

  test('gives what was listed', async () => {
    const { instructions, named } = await taskFixtures();
    const { accounts, data } = decoded(instructions.listTask);
    expect(data).toEqual({ discriminator: 16, ...TERMS });
    expect(accounts).toMatchObject({
      funder: { address: named.signer },
      poster: { address: named.poster },
      vault: { address: named.vault },
    });
  });

  test('gives leg, agent and result', async () => {
    const { instructions, named } = await taskFixtures();
    const [taskLeg, agent] = [{ address: named.taskLeg }, { address: named.agent }];
    expect(decoded(instructions.assignTaskLeg)).toMatchObject({ accounts: { taskLeg, agent }, data: { index: 2 } });
    const rentPayer = { address: named.payer };
    expect(decoded(instructions.releaseTaskLeg)).toMatchObject({
      accounts: { taskLeg, rentPayer },
      data: { index: 1 },
    });
    expect(decoded(instructions.confirmTaskLeg)).toMatchObject({
      accounts: { taskLeg, agent, vault: { address: named.vault } },
      data: { index: 3, resultHash: RESULT_HASH },
    });
  });

  test('gives the legs of a task that ends with their rent payers', async () => {
    const { instructions, legsWithRentPayers } = await taskFixtures();
    const [first, payer, second, otherPayer] = legsWithRentPayers.map((address) => ({ address }));
    for (const instruction of [instructions.settleTask, instructions.reclaimTask]) {
      const result = decoded(instruction);
      if (result.name !== 'settleTask' && result.name !== 'reclaimTask') throw new Error('the task ends');
      expect(result.legs).toMatchObject([
        { taskLeg: first, rentPayer: payer },
        { taskLeg: second, rentPayer: otherPayer },
      ]);
    }
  });

  test('is undefined for what the program would refuse (P-1) (P-2) (P-88)', async () => {
    const { instructions } = await taskFixtures();
    const { settleTask, confirmTaskLeg } = instructions;
    const { accounts, data } = confirmTaskLeg;
    const refused = [
      { ...settleTask, accounts: settleTask.accounts.slice(0, -1) },
      { ...settleTask, accounts: settleTask.accounts.slice(0, 5) },
      { ...confirmTaskLeg, accounts: accounts.slice(1) },
      { ...confirmTaskLeg, data: data.slice(0, -1) },
      { ...confirmTaskLeg, data: Uint8Array.of(...data, 0) },
      { ...confirmTaskLeg, data: Uint8Array.of(24) },
      { ...confirmTaskLeg, data: Uint8Array.of(15) },
    ];
    for (const instruction of refused) {
      expect(decodeRelayInstruction(programAddress, instruction)).toBeUndefined();
    }
    expect(decodeRelayInstruction(programAddress, settleTask)?.name).toBe('settleTask');
  });
});
