import { allTurns, everyItem, followTurns } from '@legwork/sdk';
import { sql } from 'kysely';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { refusalOf } from '../../support/sdkRefusal.js';
import { type Party, withService } from '../../support/service.js';
import { legIdOf } from '../digitalTasks/scene.js';
import { bidInput, untilPackage } from '../../support/market.js';
import { type Cast, courier, legNow, listedWithTerms } from './scene.js';
import { begunBy, type Bound, boundTask, claimResult } from './taskScene.js';

const service = withService();
/** More than a page, each older than what the key has a right to see first. */
const NAMED = 450;
let victim: Party;
let own: Pick<Cast, 'parcel'>;
let named: Bound;

/** Writes as many tasks as this one, whose ids come before all others. */
async function multiply(taskId: string): Promise<void> {
  const id = (kind: string) => sql.raw(`('00000000-0000-7000-${kind}-' || lpad(to_hex(n), 12, '0'))::uuid`);
  const copies = sql`generate_series(1, ${NAMED}) as n`;
  await sql`insert into digital_tasks select copy.* from digital_tasks as task, ${copies}, lateral jsonb_populate_record(
    task, jsonb_build_object('id', ${id('8000')}, 'on_chain_task', task.on_chain_task || n, 'request_key', null)) as copy
    where task.id = ${taskId}`.execute(service.current.db);
  await sql`insert into digital_legs select copy.* from digital_legs as leg, ${copies}, lateral jsonb_populate_record(
    leg, jsonb_build_object('id', ${id('9000')}, 'task_id', ${id('8000')})) as copy
    where leg.task_id = ${taskId}`.execute(service.current.db);
}

beforeAll(async () => {
  victim = await courier(service.current);
  const { pubkey: receiverPubkey } = victim;
  named = await boundTask(service.current, { receiverPubkey }, { legs: [{ instruction: 'Sum it up.' }] });
  await claimResult(named, 0, await begunBy(service.current, named, 0), 'it is summed up');
  await multiply(named.task.id);
  own = await listedWithTerms(service.current);
  await victim.client.submitBid(bidInput(victim, own.parcel.id, 'zoo', 'ostkreuz', 0.1));
  await untilPackage(service.current, own.parcel.id, ({ status }) => status === 'in_transit');
});

describe('a key that others name in more tasks than a page holds (T-61)', () => {
  test('has every turn on some page, once', async () => {
    const { pubkey, client } = victim;
    const first = await client.listTurns({ pubkey });
    expect(first.items).toHaveLength(400);
    const { items, nextCursor } = await client.listTurns({ pubkey, cursor: first.nextCursor });
    expect([items.length, nextCursor]).toEqual([NAMED + 2 - 400, undefined]);
    const legIds = [...first.items, ...items].map(({ legId }) => legId);
    expect(new Set(legIds).size).toBe(NAMED + 2);
    expect(legIds).toContain(legIdOf(named.task, 0));
    const all = await allTurns(client, pubkey);
    expect(all.map(({ legId }) => legId).toSorted()).toEqual(legIds.toSorted());
    const ends = all.map(({ until }) => until?.getTime() ?? Infinity);
    expect(ends).toEqual(ends.toSorted((one, other) => one - other));
  });

  test('finds its own legs on the first page', async () => {
    const { pubkey, client } = victim;
    const { items, nextCursor } = await client.listTurns({ pubkey, limit: 1 });
    expect(items).toMatchObject([{ kind: 'package', packageId: own.parcel.id, actions: ['accept', 'take', 'vacate'] }]);
    expect(nextCursor).toBeDefined();
  });

  test('meets pages without a turn, and more behind them', async () => {
    const { pubkey } = named.poster;
    // The leg that its poster could dispute is claimed; nobody has begun the rest.
    await sql`update digital_legs set stage = 'vacant' where id < '00000000-0000-7000-9000-00000000000a'`.execute(
      service.current.db,
    );
    const lengths: number[] = [];
    for (let cursor: string | undefined, page = 0; page < 4; page += 1) {
      const { items, nextCursor } = await victim.client.listTurns({ pubkey, limit: 3, cursor });
      lengths.push(items.length);
      cursor = nextCursor;
    }
    expect(lengths).toEqual([0, 0, 0, 3]);
    let seen = 0;
    for await (const _ of everyItem(victim.client.listTurns, { pubkey, limit: 200 })) seen += 1;
    expect(seen).toBe(NAMED + 1 - 9);
  });

  test('goes on with what it does for its own', async () => {
    const stopping = new AbortController();
    const policy = { hasParcel: () => false, evidence: () => undefined };
    const ended = followTurns(victim.client, victim.signer, policy, { signal: stopping.signal, everyMs: 100 });
    onTestFinished(async () => {
      stopping.abort();
      await ended;
    });
    await untilPackage(service.current, own.parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'accepted');
    expect((await legNow(service.current, own.parcel.id, 0)).agentPubkey).toBe(victim.pubkey);
  });
});

test('a cursor that no list of turns gave is refused (S-20)', async () => {
  const { pubkey, client } = victim;
  for (const position of [['2', own.parcel.id], ['0', 'x'], [own.parcel.id]]) {
    const cursor = Buffer.from(JSON.stringify(position)).toString('base64url');
    expect(await refusalOf(client.listTurns({ pubkey, cursor }))).toMatchObject({ code: 'invalid_input' });
  }
});
