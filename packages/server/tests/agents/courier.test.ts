import { confirmLeg, listPackage } from '@legwork/sdk';
import { describe, expect, test } from 'vitest';
import { draft, PLACES, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { PATIENT, policyAgent, runDaemon } from './support/agents.js';

const service = withService();

const way = (from: keyof typeof PLACES, to: keyof typeof PLACES) => ({
  itinerary: [{ from: [PLACES[from].lat, PLACES[from].lng], to: [PLACES[to].lat, PLACES[to].lng] }],
});
const balanceOf = async (pubkey: string) =>
  (await service.current.rpc.getBalance(pubkey as never, { commitment: 'confirmed' }).send()).value;

describe('courier daemons', () => {
  test('bid, win, take over and are paid: two of them relay a package (A-30, A-32)', async () => {
    const first = await policyAgent(service.current, {
      courier: { ...way('zoo', 'alexanderplatz'), handoff: { how: 'auto' } },
    });
    const second = await policyAgent(service.current, {
      courier: { ...way('alexanderplatz', 'ostkreuz'), handoff: { how: 'auto' } },
    });
    const running = await runDaemon([first, second]);
    await expect.poll(() => running.told.filter((words) => words.startsWith('registered')), PATIENT).toHaveLength(2);
    const before = await balanceOf(first.pubkey);
    const shipper = await service.current.party();
    const { id } = await listPackage(shipper.client, shipper.signer, draft());
    const done = await untilPackage(service.current, id, ({ swarm }) => swarm?.completedLegs === 1);
    const legs = done.swarm?.legs ?? [];
    expect(legs.map(({ agentPubkey }) => agentPubkey)).toEqual([first.pubkey, second.pubkey]);
    expect((await balanceOf(first.pubkey)) - before).toBe(legs[0]?.agreedPaymentLamports);
    await confirmLeg(shipper.client, service.current.rpc, shipper.signer, legs[1]?.id ?? '');
    await untilPackage(service.current, id, ({ status }) => status === 'delivered');
    await expect.poll(() => running.daemon.health.map(({ legs, bids }) => legs + bids), PATIENT).toEqual([0, 0]);
  });
});
