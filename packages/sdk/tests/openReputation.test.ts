import { getOpenReputationInstruction } from '@legwork/program-client';
import { createNoopSigner, createSolanaRpc, generateKeyPairSigner } from '@solana/kit';
import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { createLegworkClient, openReputation, TransactionRefusedError } from '../src/index.js';
import { startOutsideService } from './support/outsideService.js';
import { config } from './support/serviceConfig.js';
import { PROGRAM, SOME_ADDRESS, wire } from './support/transactions.js';

const payer = await generateKeyPairSigner();
const { address: agent } = await generateKeyPairSigner();
const nowhere = createSolanaRpc('http://127.0.0.1:2');

/** A service that answers with the opening of this agent's reputation, paid by this wallet. */
async function clientFor(opened: Address, paidBy: Address) {
  const accounts = { payer: createNoopSigner(paidBy), agent: opened, reputation: SOME_ADDRESS };
  const transaction = wire(paidBy, [getOpenReputationInstruction(accounts, { programAddress: PROGRAM })]);
  const built = { agentPubkey: agent, signerPubkey: payer.address, blockhash: 'x', lastValidBlockHeight: 1 };
  const service = await startOutsideService(({ path }) => ({
    json: path === '/config' ? config : { ...built, transaction },
  }));
  return createLegworkClient({ url: service.url });
}

describe('opening a reputation', () => {
  test("signs for this very agent: only the ledger's absence stops it", async () => {
    const call = openReputation(await clientFor(agent, payer.address), nowhere, payer, agent);
    await expect(call).rejects.not.toThrow(TransactionRefusedError);
  });

  test('refuses a transaction for another agent', async () => {
    const call = openReputation(await clientFor(SOME_ADDRESS, payer.address), nowhere, payer, agent);
    await expect(call).rejects.toThrow(TransactionRefusedError);
  });

  test('refuses a transaction that another wallet pays', async () => {
    const call = openReputation(await clientFor(agent, SOME_ADDRESS), nowhere, payer, agent);
    await expect(call).rejects.toThrow(TransactionRefusedError);
  });
});
