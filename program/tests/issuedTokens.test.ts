import {
  getCollectInstruction,
  inTokens,
  lockerAddress,
  TOKEN_PROGRAM_ADDRESS,
  type TokenDetails,
} from '@legwork/program-client';
import type { Instruction } from '@solana/kit';
import { describe, expect } from 'vitest';
import { must, SOL } from './harness/delivery.js';
import { Issuer } from './harness/issuer.js';
import { firstLegs } from './harness/job.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { STAKE, terms } from './harness/terms.js';
import { tokensAt } from './harness/tokens.js';

const PAYMENT = SOL / 5n;

/** The program with a token that was issued as tokens are, not written into the ledger: a validator has it too. */
async function market(relay: Relay) {
  const issuer = await Issuer.create(relay);
  const { ledger, programAddress } = relay;
  const account = new Map<string, Awaited<ReturnType<Issuer['give']>>>();
  for (const name of ['funder', 'shipper', 'courier 0', 'courier 1', 'arbiter']) {
    account.set(name, await issuer.give((await relay.person(name)).address, 2n * SOL));
  }
  const tokens = async (name: string) => {
    const at = account.get(name);
    return at === undefined ? 0n : (await tokensAt(ledger, at)) - 2n * SOL;
  };
  const said = (instruction: Instruction, details?: TokenDetails) =>
    inTokens(programAddress, instruction, issuer.asset, details);
  const pay = async (instruction: Instruction, details?: TokenDetails) =>
    must(await ledger.send(await said(instruction, details)));
  return { issuer, account, tokens, said, pay };
}

describe('a token that its issuer issued', () => {
  test('[P-110] [P-113] pays couriers leg by leg, and the funder gets the rest and the rent', async ({ relay }) => {
    const { issuer, tokens, pay } = await market(relay);
    const delivery = await relay.delivery(1);
    const vault = await issuer.give(delivery.vault);
    await pay(relay.list(delivery));
    expect(await tokensAt(relay.ledger, vault)).toBe(SOL);
    await relay.inTransit([PAYMENT, PAYMENT], delivery);
    for (const index of [0, 1]) await pay(await relay.handoff(delivery, index, 2));
    expect([await tokens('courier 0'), await tokens('courier 1')]).toEqual([PAYMENT, PAYMENT]);
    await pay(await relay.settle(delivery, 2));
    expect(await tokens('funder')).toBe(-2n * PAYMENT);
    expect(await relay.ledger.account(vault)).toBeUndefined();
    expect(await relay.lamports(delivery.vault)).toBe(0n);
  });

  test('[P-110] stakes lie with the budget, and a ruling divides them to the unit', async ({ relay }) => {
    const { issuer, tokens, pay } = await market(relay);
    const { moves } = relay;
    const delivery = await relay.delivery(1);
    const vault = await issuer.give(delivery.vault);
    await pay(relay.list(delivery, { terms: await terms() }));
    await relay.inTransit([PAYMENT], delivery);
    await pay(await moves.accept(delivery, { take: true }));
    must(await relay.ledger.send(await moves.claim(delivery)));
    await pay(await moves.dispute(delivery));
    expect(await tokensAt(relay.ledger, vault)).toBe(SOL + 2n * STAKE);
    await pay(await moves.rule(delivery, { percent: 30 }));
    await pay(await moves.crank(delivery, 0, 1));
    await pay(await relay.settle(delivery, 1));
    const fee = STAKE / 2n;
    const [rest, payment] = [2n * STAKE - fee, (PAYMENT * 30n) / 100n];
    const courier = (rest * 30n) / 100n;
    expect(await tokens('arbiter')).toBe(fee);
    expect(await tokens('courier 0')).toBe(courier - STAKE + payment);
    expect(await tokens('shipper')).toBe(rest - courier - STAKE);
    expect(await tokens('funder')).toBe(-payment);
  });

  test('[P-111] [P-112] a frozen courier is paid into its locker, the funder leaves, and a thawed courier collects', async ({
    relay,
  }) => {
    const { issuer, account, tokens, pay, said } = await market(relay);
    const job = await relay.tasks.job(1);
    await issuer.give(job.vault);
    await pay(relay.tasks.list(job, { numLegs: 1 }));
    await relay.tasks.inProgress([0], job);
    const agent = await relay.courier(0);
    const own = account.get('courier 0') ?? agent.address;
    await issuer.freeze(own);
    const result = await relay.tasks.result(job, 0);
    expect((await relay.ledger.send(await said(result))).error).toBe('MissingTokenAccount');
    const locker = await lockerAddress(relay.programAddress, agent.address);
    const held = await issuer.give(locker);
    await pay(result, { locked: new Set([agent.address]) });
    await pay(await relay.tasks.settle(job, firstLegs(1)));
    expect([await tokens('courier 0'), await tokensAt(relay.ledger, held)]).toEqual([0n, SOL]);
    const accounts = { wallet: agent.address, locker, from: held, to: own, tokenProgram: TOKEN_PROGRAM_ADDRESS };
    const collect = getCollectInstruction(accounts, { programAddress: relay.programAddress });
    expect((await relay.ledger.send(collect)).error).toBe('PayeeCannotReceive');
    await issuer.thaw(own);
    must(await relay.ledger.send(collect));
    expect(await tokens('courier 0')).toBe(SOL);
  });

  test('[P-111] a frozen vault keeps everybody waiting, and nothing of it is lost', async ({ relay }) => {
    const { issuer, tokens, pay, said } = await market(relay);
    const delivery = await relay.delivery(1);
    const vault = await issuer.give(delivery.vault);
    await pay(relay.list(delivery));
    await issuer.freeze(vault);
    const cancel = relay.cancel(delivery);
    expect((await relay.ledger.send(await said(cancel))).error).toBe('custom error 17');
    await issuer.thaw(vault);
    await pay(cancel);
    expect(await tokens('funder')).toBe(0n);
  });
});
