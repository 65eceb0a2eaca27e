import { PackageStatus } from '@legwork/program-client';
import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Blockhash,
  type Instruction,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { describe, expect, test } from 'vitest';
import { must, SOL } from './harness/delivery.js';
import { Relay } from './harness/relay.js';

const LIFETIME = { blockhash: '11111111111111111111111111111111' as Blockhash, lastValidBlockHeight: 0n };
const PAYMENT = SOL / 8n;

async function formation(relay: Relay, legs: number): Promise<Instruction[]> {
  const delivery = await relay.delivery();
  const instructions: Instruction[] = [
    getSetComputeUnitLimitInstruction({ units: 200_000 }),
    getSetComputeUnitPriceInstruction({ microLamports: 1_000n }),
    relay.form(delivery, legs, PAYMENT * BigInt(legs)),
  ];
  for (let index = 0; index < legs; index += 1) {
    instructions.push(await relay.assign(delivery, index, (await relay.courier(index)).address, PAYMENT));
  }
  return instructions;
}

/** Bytes of the transaction, the coordinator paying its fee. */
function size(relay: Relay, version: 'legacy' | 0, instructions: readonly Instruction[]): number {
  const transaction = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(relay.coordinator.address, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(LIFETIME, paid),
    (living) => appendTransactionMessageInstructions(instructions, living),
    compileTransaction,
  );
  return getTransactionEncoder().encode(transaction).length;
}

describe('the formation of a swarm in one transaction', () => {
  test('[P-36] seven legs take 1,183 bytes as a legacy transaction and 1,185 as a versioned one', async () => {
    const relay = await Relay.initialised();
    const instructions = await formation(relay, 7);
    expect(size(relay, 'legacy', instructions)).toBe(1_183);
    expect(size(relay, 0, instructions)).toBe(1_185);
  });

  test('[P-36] seven legs are formed at once', async () => {
    const relay = await Relay.initialised();
    const delivery = await relay.listed();
    must(await relay.ledger.sendPaidBy(relay.coordinator, ...(await formation(relay, 7))));
    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.InTransit });
    expect(await relay.swarm(delivery)).toMatchObject({ assignedLegs: 7, assignedLamports: 7n * PAYMENT });
    for (let index = 0; index < 7; index += 1) must(await relay.ledger.send(await relay.handoff(delivery, index, 7)));
    must(await relay.ledger.send(await relay.settle(delivery, 7)));
  });

  test('[P-36] a formation with one leg refused forms nothing', async () => {
    const relay = await Relay.initialised();
    const delivery = await relay.listed();
    const instructions = await formation(relay, 3);
    const outcome = await relay.ledger.send(...instructions, ...instructions.slice(-1));
    expect(outcome.error).toBe('InvalidStatus');
    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Listed, formation: 0 });
    expect(await relay.ledger.account(delivery.swarm)).toBeUndefined();
  });
});
