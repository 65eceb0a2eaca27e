import { PackageStatus } from '@legwork/program-client';
import type { Instruction } from '@solana/kit';
import { describe, expect } from 'vitest';
import { must, SOL } from './harness/delivery.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { BUDGET, transactionBytes } from './harness/transactionBytes.js';

const PAYMENT = SOL / 8n;

async function formation(relay: Relay, legs: number): Promise<Instruction[]> {
  const delivery = await relay.delivery();
  const instructions = [...BUDGET, relay.form(delivery, legs, PAYMENT * BigInt(legs))];
  for (let index = 0; index < legs; index += 1) {
    instructions.push(await relay.assign(delivery, index, (await relay.courier(index)).address, PAYMENT));
  }
  return instructions;
}

describe('the formation of a swarm in one transaction', () => {
  test('[P-36] seven legs take 1,183 bytes as a legacy transaction and 1,185 as a versioned one', async ({ relay }) => {
    const instructions = await formation(relay, 7);
    expect(transactionBytes(relay.coordinator.address, 'legacy', instructions)).toBe(1_183);
    expect(transactionBytes(relay.coordinator.address, 0, instructions)).toBe(1_185);
  });

  test('[P-36] seven legs are formed at once', async ({ relay }) => {
    const delivery = await relay.listed();
    must(await relay.ledger.sendPaidBy(relay.coordinator, ...(await formation(relay, 7))));
    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.InTransit });
    expect(await relay.swarm(delivery)).toMatchObject({ assignedLegs: 7, assignedLamports: 7n * PAYMENT });
    for (let index = 0; index < 7; index += 1) must(await relay.ledger.send(await relay.handoff(delivery, index, 7)));
    must(await relay.ledger.send(await relay.settle(delivery, 7)));
  });

  test('[P-36] a formation with one leg refused forms nothing', async ({ relay }) => {
    const delivery = await relay.listed();
    const instructions = await formation(relay, 3);
    const outcome = await relay.ledger.send(...instructions, ...instructions.slice(-1));
    expect(outcome.error).toBe('InvalidStatus');
    expect(await relay.package(delivery)).toMatchObject({ status: PackageStatus.Listed, formation: 0 });
    expect(await relay.ledger.account(delivery.swarm)).toBeUndefined();
  });
});
