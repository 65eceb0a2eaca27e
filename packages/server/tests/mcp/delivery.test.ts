import { signTransaction } from '@legwork/sdk';
import { address } from '@solana/kit';
import { expect, test } from 'vitest';
import { bidInput, draft } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { land } from '../support/transactions.js';
import { answerOf, callOverMcp, callTool, post } from './toolCalls.js';
import { until } from '../support/until.js';

const service = withService();

type Json = Record<string, unknown>;
interface Leg {
  id: string;
  agentPubkey: string;
  status: string;
  agreedPaymentLamports: number;
}

async function balance(pubkey: string): Promise<bigint> {
  const { value } = await service.current.rpc.getBalance(address(pubkey), { commitment: 'confirmed' }).send();
  return value;
}

const readPackage = (packageId: string): Promise<Json> => answerOf(service.current, 'svc_get_package', { packageId });
const legsOf = (parcel: Json): Leg[] => (parcel['swarm'] as { legs: Leg[] } | null)?.legs ?? [];

/** Asks as an agent would, until the package has this status. */
async function untilStatus(packageId: string, status: string): Promise<Json> {
  return until(`the package is ${status}`, async () => {
    const parcel = await readPackage(packageId);
    return parcel['status'] === status && parcel;
  });
}

/** Acts as a wallet: takes the transaction that the service builds, signs it, sends it to the ledger itself. */
async function confirmOnLedger(leg: Leg, recipient: Party): Promise<void> {
  const built = await post(service.current.server.url, '', {}, `/swarms/legs/${leg.id}/build-confirm-tx`);
  const { transaction, recipientPubkey } = (await built.json()) as { transaction: string; recipientPubkey: string };
  expect(recipientPubkey).toBe(recipient.pubkey);
  const { programId } = service.current.server;
  await land(service.current, await signTransaction(transaction, recipient.signer, { programId, name: 'confirmLeg' }));
}

test('agents that have only the tools and a wallet take a package from posting to settlement', async () => {
  const shipper = await service.current.party(1);
  const couriers = [await service.current.party(0), await service.current.party(0), await service.current.party(0)];
  for (const { pubkey } of couriers) {
    const { airdrop } = await answerOf(service.current, 'svc_register_agent', { agentPubkey: pubkey });
    expect(airdrop).toMatchObject({ status: 'sent' });
  }
  const posted = await answerOf(service.current, 'svc_post_task', {
    ...draft(),
    shipperPubkey: shipper.pubkey,
    biddingWindowSec: 1,
  });
  const packageId = String(posted['id']);
  expect(await answerOf(service.current, 'svc_list_packages', { status: 'listed' })).toMatchObject({
    items: [{ id: packageId }],
  });

  const stretches = [
    ['zoo', 'hauptbahnhof', 0.03],
    ['hauptbahnhof', 'alexanderplatz', 0.05],
    ['alexanderplatz', 'ostkreuz', 0.04],
  ] as const;
  for (const [index, courier] of couriers.entries()) {
    const [from, to, costSol] = stretches[index] ?? stretches[0];
    await answerOf(service.current, 'svc_submit_bid', bidInput(courier, packageId, from, to, costSol));
  }
  const moving = await untilStatus(packageId, 'in_transit');
  const legs = legsOf(moving);
  expect(legs.map(({ agentPubkey }) => agentPubkey)).toEqual(couriers.map(({ pubkey }) => pubkey));

  const before = await Promise.all(couriers.map(({ pubkey }) => balance(pubkey)));
  for (const [index, leg] of legs.entries()) {
    const args = { legId: leg.id, agentPubkey: leg.agentPubkey };
    expect((await callTool(service.current, 'svc_confirm_leg', args)).told).toMatchObject({
      code: 'not_confirmed_on_chain',
    });
    await confirmOnLedger(leg, couriers[index + 1] ?? shipper);
    const recorded = await callOverMcp(service.current, '2026', 'svc_confirm_leg', args);
    expect(recorded).toMatchObject({ isError: false, structuredContent: { status: 'completed' } });
  }

  const delivered = await untilStatus(packageId, 'delivered');
  const paid = legs.reduce((sum, { agreedPaymentLamports }) => sum + agreedPaymentLamports, 0);
  expect(delivered).toMatchObject({ refundLamports: 500_000_000 - paid });
  expect(legsOf(delivered).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  const fees = 5000n;
  for (const [index, courier] of couriers.entries()) {
    const earned = BigInt(legs[index]?.agreedPaymentLamports ?? 0);
    const spent = index === 0 ? 0n : fees;
    expect(await balance(courier.pubkey)).toBe((before[index] ?? 0n) + earned - spent);
    expect(await answerOf(service.current, 'svc_get_reputation', { agentPubkey: courier.pubkey })).toMatchObject({
      legsCompleted: 1,
      reliabilityScore: 100,
    });
  }
  expect(await answerOf(service.current, 'svc_leaderboard')).toMatchObject({ total: 3 });
});
