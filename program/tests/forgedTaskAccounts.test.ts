import { getCreateAccountInstruction } from '@solana-program/system';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { bytesOf, secondAddress } from './harness/bumps.js';
import { must, SOL } from './harness/delivery.js';
import { firstLegs } from './harness/job.js';
import { keyOf } from './harness/keys.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';

const ANY_RENT = SOL / 100n;
/** Places of accounts of the program, with their lengths. */
const OWNED_IN_CONFIRM = [
  [2, 312],
  [3, 149],
  [6, 52],
] as const;
const OWNED_IN_SETTLE = [
  [2, 312],
  [6, 149],
  [8, 149],
] as const;

describe('forged accounts of tasks', () => {
  test('[P-3] accounts that a stranger creates and assigns to the program are no accounts of it', async ({ relay }) => {
    const confirm = await relay.tasks.result(await relay.tasks.inProgress([0]), 0);
    const payer = await relay.person('stranger');
    for (const [place, space] of OWNED_IN_CONFIRM) {
      const newAccount = await keyOf(`blank account for place ${place}`);
      const { programAddress } = relay;
      const create = getCreateAccountInstruction({ payer, newAccount, lamports: ANY_RENT, space, programAddress });
      const outcome = await relay.ledger.send(create, swapped(confirm, place, newAccount.address));
      expect([place, outcome.error]).toEqual([place, 'InvalidAccountKind']);
    }
    must(await relay.ledger.send(confirm));
  });

  test.skipIf(CANNOT_FORGE)(
    "[P-3] copies of the real accounts, owned by an attacker's program, are refused in every place",
    async ({ relay }) => {
      const attacker = await keyOf("the attacker's program");
      const copyOf = async (original: Address, name: string): Promise<Address> => {
        const { address } = await keyOf(`copy for ${name}`);
        await relay.ledger.forge(address, { ...(await relay.state(original)), owner: attacker.address });
        return address;
      };
      const refused = async (instruction: Instruction, owned: readonly (readonly [number, number])[]) => {
        for (const [place] of owned) {
          const original = instruction.accounts?.[place]?.address;
          if (!original) throw new Error(`There is no account in place ${place}`);
          const forged = swapped(instruction, place, await copyOf(original, `${place}`));
          expect([place, (await relay.ledger.send(forged)).error]).toEqual([place, 'InvalidAccountOwner']);
        }
        must(await relay.ledger.send(instruction));
      };
      const job = await relay.tasks.inProgress([0, 1]);
      await refused(await relay.tasks.result(job, 0), OWNED_IN_CONFIRM);
      must(await relay.ledger.send(await relay.tasks.result(job, 1)));
      await refused(await relay.tasks.settle(job, firstLegs(2)), OWNED_IN_SETTLE);
      await refused(relay.tasks.close(job), OWNED_IN_SETTLE.slice(0, 1));
    },
  );

  test('[P-4] no account is created at the address of a second bump', async ({ relay }) => {
    const agent = await relay.tasks.agent(0);
    const job = await relay.tasks.job();
    const second = (canonical: Address, word: string, ...seeds: Uint8Array[]) =>
      secondAddress(relay, canonical, [Buffer.from(word), ...seeds]);
    const taskBytes = bytesOf(job.task);
    const list = relay.tasks.list(job);
    const otherTask = second(job.task, 'task', bytesOf(job.poster.address), job.taskId);
    expect((await relay.ledger.send(swapped(list, 3, otherTask))).error).toBe('InvalidAccount');
    const otherVault = second(job.vault, 'vault', taskBytes);
    expect((await relay.ledger.send(swapped(list, 4, otherVault))).error).toBe('InvalidAccount');
    must(await relay.ledger.send(list));
    const assign = await relay.tasks.assign(job, 0, agent);
    const otherLeg = second(await relay.taskLeg(job, 0), 'task_leg', taskBytes, Uint8Array.of(0));
    expect((await relay.ledger.send(swapped(assign, 4, otherLeg))).error).toBe('InvalidAccount');
    // A second reputation would be a clean one.
    const otherReputation = second(await relay.reputationOf(agent), 'reputation', bytesOf(agent));
    expect((await relay.ledger.send(swapped(assign, 6, otherReputation))).error).toBe('InvalidAccount');
    must(await relay.ledger.send(assign));
  });
});
