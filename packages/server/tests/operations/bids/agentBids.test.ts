import { cancelPackage, everyItem, listPackage } from '@legwork/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { bidInput, draft, untilPackage } from '../../support/market.js';
import { type Party, withService } from '../../support/service.js';
import { closeWindow, gatheringPackage, sendSigned, shiftedBid } from './scene.js';

const service = withService();
let agent: Party;
let rival: Party;
/** The bids of the agent by what became of them, oldest first. */
const bids: Record<string, string> = {};
let won: string;
let lost: string;

/** A package on which the agent and its rival bid the same way; answers it once a chain is chosen. */
async function contest(name: string, costSol: number, rivalCostSol: number) {
  const { id } = await gatheringPackage(service.current);
  bids[name] = (await agent.client.submitBid(bidInput(agent, id, 'zoo', 'ostkreuz', costSol))).id;
  await rival.client.submitBid(bidInput(rival, id, 'zoo', 'ostkreuz', rivalCostSol));
  await closeWindow(service.current, id);
  return untilPackage(service.current, id, ({ status }) => status === 'in_transit');
}

async function endBidOf(name: string, columns: object): Promise<void> {
  const { db } = service.current;
  await db
    .updateTable('bids')
    .set(columns)
    .where('id', '=', bids[name] ?? '')
    .execute();
}

beforeAll(async () => {
  [agent, rival] = [await service.current.party(1), await service.current.party(1)];
  ({ id: won } = await contest('chosen', 0.1, 0.2));
  ({ id: lost } = await contest('lost', 0.2, 0.1));
  await contest('lost, then withdrawn', 0.2, 0.1);
  await sendSigned(service.current, agent, 'DELETE', `/bids/${bids['lost, then withdrawn']}`);
  await contest('lost, then expired', 0.2, 0.1);
  await endBidOf('lost, then expired', { expires_at: new Date() });

  const shipper = await service.current.party();
  const cancelled = await listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: 3600 }));
  const onCancelled = await agent.client.submitBid(shiftedBid(agent, cancelled.id, 0));
  bids['lost with the package'] = onCancelled.id;
  bids['expired before it ended'] = (await agent.client.submitBid(shiftedBid(agent, cancelled.id, 1))).id;
  await endBidOf('expired before it ended', { expires_at: new Date() });
  await cancelPackage(shipper.client, service.current.rpc, shipper.signer, cancelled.id);

  const { id: open } = await gatheringPackage(service.current);
  for (const [name, shift] of [
    ['replaced', 0],
    ['withdrawn', 1],
    ['excluded', 2],
    ['expired', 3],
    ['live', 0],
  ] as const) {
    const input = { ...shiftedBid(agent, open, shift), reasoning: 'I pass there anyway' };
    bids[name] = (await agent.client.submitBid(input)).id;
  }
  await sendSigned(service.current, agent, 'DELETE', `/bids/${bids['withdrawn']}`);
  await endBidOf('excluded', { ended_at: new Date(), ended_because: 'excluded' });
  await endBidOf('expired', { expires_at: new Date() });
});

const ownBids = async () => (await agent.client.listAgentBids({ agentPubkey: agent.pubkey })).items;

describe('the bids of an agent', () => {
  test('say what became of each, newest first (S-135)', async () => {
    const shown = await ownBids();
    expect(shown.map(({ id, fate }) => [id, fate])).toEqual(
      Object.entries(bids)
        .map(([name, id]) => [id, name.split(/,? /)[0]])
        .toReversed(),
    );
  });

  test('name the leg that was made of one that was chosen, and what it pays (S-135)', async () => {
    const { swarm } = await agent.client.getPackage({ packageId: won });
    const [leg] = swarm?.legs ?? [];
    const [chosen, ...others] = (await ownBids()).filter(({ chosenAs }) => chosenAs !== null);
    expect(others).toEqual([]);
    expect(chosen).toMatchObject({
      id: bids['chosen'],
      lostTo: null,
      chosenAs: { swarmId: swarm?.id, legId: leg?.id, legIndex: 0, paymentLamports: leg?.agreedPaymentLamports },
      packageStatus: 'in_transit',
      packageDescription: 'a box of books',
    });
  });

  test('name the chain that one lost to, if there was one (S-135)', async () => {
    const { swarm } = await agent.client.getPackage({ packageId: lost });
    const shown = new Map((await ownBids()).map((bid) => [bid.id, bid]));
    expect(shown.get(bids['lost'] ?? '')).toMatchObject({
      chosenAs: null,
      lostTo: { swarmId: swarm?.id, totalLegs: 1, costLamports: 100_000_000n, totalLamports: swarm?.totalLamports },
    });
    expect(shown.get(bids['lost with the package'] ?? '')).toMatchObject({ lostTo: null, packageStatus: 'failed' });
  });

  test('are sealed to others while the window is open, whatever they sign (M-35, S-14)', async () => {
    const sealed = { costSol: null, costLamports: null, reasoning: null };
    const { items } = await rival.client.listAgentBids({ agentPubkey: agent.pubkey });
    const open = new Set([bids['replaced'], bids['withdrawn'], bids['excluded'], bids['expired'], bids['live']]);
    for (const bid of items.filter(({ id }) => open.has(id))) expect(bid).toMatchObject(sealed);
    const ofClosed = items.filter(({ packageStatus }) => packageStatus === 'in_transit');
    for (const { costLamports } of ofClosed) expect(costLamports).toBeGreaterThan(0n);
    expect(items).toHaveLength(Object.keys(bids).length);
    expect((await ownBids())[0]).toMatchObject({ costLamports: 100_000_000n, reasoning: 'I pass there anyway' });
    const stolen = await sendSigned(service.current, rival, 'GET', `/agents/${agent.pubkey}/bids`);
    expect(stolen.status).toBe(403);
  });

  test('come in pages, each once (S-20)', async () => {
    const ids: string[] = [];
    const all = everyItem(agent.client.listAgentBids, { agentPubkey: agent.pubkey, limit: 3 });
    for await (const { id } of all) ids.push(id);
    expect(ids).toEqual(Object.values(bids).toReversed());
    const { pubkey } = await service.current.party(0);
    expect(await agent.client.listAgentBids({ agentPubkey: pubkey })).toEqual({ items: [], nextCursor: undefined });
  });
});
