import { type AgentOrder, type ListedAgent, toLamports } from '@legwork/protocol/contract';
import { everyItem } from '@legwork/sdk';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { confirmAll, formedPackage, untilPackage } from '../../support/market.js';
import { newWallet } from '../../support/packageRows.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { withService } from '../../support/service.js';
import { claim, handIn, postedTask, untilTask } from '../digitalTasks/scene.js';

describe('agents that worked', () => {
  const service = withService();

  test('are listed with what the ledger and their legs say of them, registered or not (S-134)', async () => {
    const market = await formedPackage(service.current, [
      ['zoo', 'hauptbahnhof', 0.03],
      ['hauptbahnhof', 'ostkreuz', 0.05],
    ]);
    await confirmAll(service.current, market);
    const { id } = market.parcel;
    const { swarm } = await untilPackage(service.current, id, ({ status }) => status === 'delivered');
    const [first, second] = market.couriers;
    if (!first || !second) throw new Error('two couriers carried it');
    await second.client.registerAgent({ agentPubkey: second.pubkey, displayName: 'Second', capabilities: ['bike'] });
    const { task } = await postedTask(service.current);
    await claim(second, task, 0);
    await handIn(second, task, 0);
    const { legs } = await untilTask(service.current, task.id, ({ completedLegs }) => completedLegs === 1);

    const { items } = await first.client.listAgents({ order: 'earned' });
    const [ofFirst = 0n, ofSecond = 0n] = swarm?.legs.map((leg) => leg.agreedPayment) ?? [];
    expect(items).toMatchObject([
      {
        agentPubkey: second.pubkey,
        displayName: 'Second',
        capabilities: ['bike'],
        reputation: { legsAccepted: 2, legsCompleted: 2, reliabilityScore: 100 },
        earnedLamports: ofSecond + (legs[0]?.payment ?? 0n),
        lastCompletedAt: legs[0]?.completedAt,
      },
      {
        agentPubkey: first.pubkey,
        displayName: null,
        registeredAt: null,
        reputation: { legsAccepted: 1, legsCompleted: 1, reliabilityScore: 100 },
        earnedLamports: ofFirst,
        lastCompletedAt: swarm?.legs[0]?.completedAt,
      },
    ]);
    for (const { agentPubkey, earnedLamports, lastCompletedAt } of items) {
      const { history } = await first.client.getAgent({ agentPubkey });
      expect(history).toMatchObject({ earnedLamports, lastCompletedAt });
    }
    expect((await first.client.listAgents({})).items.map(({ agentPubkey }) => agentPubkey)).toEqual([second.pubkey]);
  });
});

describe('an order', () => {
  const service = withService();
  /** As the service ought to list them, by what it says of each. */
  const KEYS: Record<AgentOrder, (agent: ListedAgent) => (number | bigint)[]> = {
    newest: ({ registeredAt }) => [registeredAt?.getTime() ?? 0],
    earned: ({ earnedLamports }) => [earnedLamports],
    recent: ({ lastCompletedAt }) => [lastCompletedAt?.getTime() ?? 0],
    completed: ({ reputation }) => [reputation.legsCompleted],
    reliability: ({ reputation }) => [reputation.reliabilityScore, reputation.legsCompleted],
  };
  const ORDERS = Object.keys(KEYS) as AgentOrder[];
  const HAS: Record<AgentOrder, (index: number) => boolean> = {
    newest: (index) => index % 3 !== 0,
    earned: (index) => index % 4 === 0,
    recent: (index) => index % 4 === 0,
    completed: (index) => index % 2 === 0,
    reliability: (index) => index % 2 === 0,
  };
  let wallets: string[];

  beforeAll(async () => {
    wallets = await Promise.all(Array.from({ length: 24 }, newWallet));
    const { db } = service.current;
    for (const [index, pubkey] of wallets.entries()) {
      // Few values, so that many are equal.
      const of = (values: number) => (index * 7) % values;
      if (HAS.newest(index)) {
        const registered_at = new Date(1_800_000_000_000 + of(3));
        const display_name = `${index % 2 === 0 ? 'Berlin' : 'berlin'} 100%_${index}`;
        await db.insertInto('agents').values({ pubkey, display_name, registered_at }).execute();
      }
      if (HAS.completed(index)) {
        const counts = { legs_accepted: 9n, legs_completed: BigInt(of(4)), reliability_score: of(2) };
        const row = { agent_pubkey: pubkey, on_chain_pda: pubkey, slot: 1n, mirrored_at: new Date(), ...counts };
        await db.insertInto('reputations').values(row).execute();
      }
      if (HAS.earned(index)) {
        const last_completed_at = new Date(1_800_000_000_000 + of(2));
        const lamports = toLamports(BigInt(1 + of(3)) * 9_000_000_000_000n);
        await db.insertInto('earnings').values({ agent_pubkey: pubkey, lamports, last_completed_at }).execute();
      }
    }
  });

  /** A copy in the order that the rule names: the most first, equal ones by address in the order of its bytes. */
  function sorted(agents: readonly ListedAgent[], order: AgentOrder): ListedAgent[] {
    return agents.toSorted((a, b) => {
      const [of, others] = [KEYS[order](a), KEYS[order](b)];
      const at = of.findIndex((value, index) => value !== others[index]);
      if (at === -1) return a.agentPubkey < b.agentPubkey ? -1 : 1;
      return (of[at] ?? 0) > (others[at] ?? 0) ? -1 : 1;
    });
  }

  async function list(query: { order: AgentOrder; q?: string; limit?: number }): Promise<ListedAgent[]> {
    const { client } = await service.current.party(0);
    const found: ListedAgent[] = [];
    for await (const agent of everyItem(client.listAgents, query)) found.push(agent);
    return found;
  }

  test.each(ORDERS)(
    'by %s shows every agent that has what it goes by once, whatever the page size (S-134)',
    async (order) => {
      for (const limit of [1, 5, 200]) {
        const found = await list({ order, limit });
        expect(found).toEqual(sorted(found, order));
        const expected = wallets.filter((_, index) => HAS[order](index));
        expect(found.map(({ agentPubkey }) => agentPubkey).toSorted()).toEqual(expected.toSorted());
      }
    },
  );

  test.each(ORDERS)('by %s keeps those whose name or address begins as asked (S-134)', async (order) => {
    const all = await list({ order });
    const named = all.filter(({ displayName }) => displayName !== null);
    expect(await list({ order, q: 'bErLiN', limit: 3 })).toEqual(named);
    expect(await list({ order, q: 'berlin 100%_2' })).toEqual(
      named.filter(({ displayName }) => displayName?.toLowerCase().startsWith('berlin 100%_2')),
    );
    for (const { agentPubkey } of all.slice(0, 3)) {
      expect((await list({ order, q: agentPubkey.slice(0, 20) })).map((agent) => agent.agentPubkey)).toEqual([
        agentPubkey,
      ]);
    }
    // Texts that a pattern would take for anything.
    for (const q of ['%', '_', '\\', 'erlin', '*']) expect(await list({ order, q })).toEqual([]);
  });

  test('follows itself among more agents than are looked up one by one (S-134)', async () => {
    await sql`insert into agents (pubkey, display_name)
      select 'none' || n, 'berlin ' || n from generate_series(1, 1100) as n`.execute(service.current.db);
    for (const order of ['earned', 'reliability'] as const) {
      const all = await list({ order });
      expect(await list({ order, q: 'BERLIN' })).toEqual(all.filter(({ displayName }) => displayName !== null));
    }
    await sql`delete from agents where pubkey like 'none%'`.execute(service.current.db);
  });

  test('refuses the cursor of another one and names it (S-20)', async () => {
    const { client } = await service.current.party(0);
    const { nextCursor = '' } = await client.listAgents({ order: 'reliability', limit: 1 });
    const refusal = await refusalOf(client.listAgents({ order: 'earned', cursor: nextCursor }));
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_input', fields: ['cursor'] });
  });
});
