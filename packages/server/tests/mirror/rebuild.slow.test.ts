import { createLegworkClient, papersOf } from '@legwork/sdk';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { healHalted } from '../../src/mirror/heal.js';
import { auditOf, linesOf, playScene } from '../audit/scene.js';
import { playTaskScene } from '../audit/taskScene.js';
import { playTaskTermsScene } from '../audit/taskTermsScene.js';
import { playTermsScene } from '../audit/termsScene.js';
import { bidInput, untilPackage } from '../support/market.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { courier, formedWithTerms, move } from '../operations/turns/scene.js';
import { untilQuiet } from '../support/snapshot.js';
import { until } from '../support/until.js';

const SLOW = 240_000;

/** The columns of every listing that the ledger knows, as the database has them. */
async function known({ db }: TestService): Promise<unknown> {
  const { rows } = await sql<{ known: unknown }>`
    select json_build_array(
      (select json_agg(json_build_array(id, status, failure_reason, shipper_pubkey, funder_pubkey, asset, max_budget_lamports, deadline,
        terms_hash, terms, list_signature, settle_signature, refund_lamports, end_signature, close_signature, formation) order by id)
        from packages where status <> 'draft'),
      (select json_agg(json_build_array(packages.id, swarms.status, swarms.formation, swarms.on_chain_swarm, form_signature,
        swarms.settle_signature, total_legs, total_lamports) order by packages.id)
        from swarms join packages on packages.id = package_id where form_signature is not null),
      (select json_agg(json_build_array(package_id, leg_index, legs.formation, agent_pubkey, agreed_payment_lamports, legs.status, stage,
        since, since_signature, until, disputer_pubkey, percent, evidence_hash, reason_hash, forfeited_lamports, paid_lamports,
        confirm_signature, assign_signature, ended_at) order by package_id, leg_index, legs.formation)
        from legs join swarms on swarms.id = swarm_id where form_signature is not null),
      (select json_agg(json_build_array(id, status, failure_reason, shipper_pubkey, funder_pubkey, num_legs, max_budget_lamports, deadline,
        terms_hash, terms, list_signature, settle_signature, refund_lamports, end_signature, close_signature, formation) order by id)
        from digital_tasks where status <> 'draft'),
      (select json_agg(json_build_array(task_id, leg_index, status, case when assign_signature is not null then agent_pubkey end,
        assign_signature, stage, since, until, percent, evidence_hash, reason_hash, forfeited_lamports, payment_lamports,
        confirm_signature, case when status = 'completed' then result_hash end) order by task_id, leg_index)
        from digital_legs),
      (select json_agg(json_build_array(leg_index, move, signer_pubkey, by_whom, percent, hash, movements, signature, at)
          order by signature, leg_index, move)
        from leg_moves left join (select id, leg_index from legs union all select id, leg_index from digital_legs) l on l.id = leg_id),
      (select json_agg(json_build_array(agent_pubkey, lamports) order by agent_pubkey) from earnings),
      (select json_agg(json_build_array(agent_pubkey, legs_accepted, legs_completed) order by agent_pubkey) from reputations)
    ) as known`.execute(db);
  return rows[0]?.known;
}

/** Has every listing halt for nothing and heal. @returns what was told that was not told before */
async function healAll(service: TestService): Promise<unknown[]> {
  const { db } = service;
  const { rows } = await sql<{ subject: string }>`
    select 'package:' || id as subject from packages where status <> 'draft'
    union all select 'task:' || id from digital_tasks where status <> 'draft'`.execute(db);
  const last = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst();
  // Two services look at the same time.
  const contexts = [await service.context(), await service.context()];
  for (const { subject } of rows) {
    const taken = { signature: `taken back ${subject}`, slot: 1n, subjects: [subject], reverted_at: new Date(0) };
    await db.insertInto('ledger_transactions').values(taken).execute();
  }
  await until('all are healed', async () => {
    await Promise.all(contexts.map(healHalted));
    return (
      (await db.selectFrom('ledger_transactions').select('signature').where('reverted_at', 'is not', null).execute())
        .length === 0
    );
  });
  for (const context of contexts) await context.db.destroy();
  const told = await db
    .selectFrom('events')
    .select(['type', 'payload'])
    .where('id', '>', last?.id ?? 0n)
    .execute();
  expect(told.filter(({ type }) => type === 'LEDGER_HEALED')).toHaveLength(rows.length);
  return told.filter(({ type, payload }) => type !== 'LEDGER_HEALED' || JSON.stringify(payload).includes('"was"'));
}

describe.each([
  ['packages', playScene],
  ['packages with terms', playTermsScene],
  ['digital tasks', playTaskScene],
  ['digital tasks with terms', playTaskTermsScene],
])('a database that is lost with %s in every state', (_, play) => {
  const service = withService();

  test('is healed into what it was, and rebuilt from the ledger: every stage, clock and lamport as before (S-257, S-258)', {
    timeout: SLOW,
  }, async () => {
    const { current } = service;
    await play(current);
    await untilQuiet(current);
    const before = await known(current);
    expect(await healAll(current)).toEqual([]);
    await untilQuiet(current);
    expect(await known(current)).toEqual(before);
    expect(linesOf((await auditOf(current)).differences)).toEqual([]);
    await current.loseDatabase();
    // Stopped in the middle, and then two at once.
    await current.stop();
    const other = await current.replica();
    await current.restart();
    await until('it is rebuilt', async () => {
      const done = await current.db.selectFrom('meta').select('value').where('key', '=', 'rebuilt').executeTakeFirst();
      return done !== undefined;
    });
    await untilQuiet(current);
    await other.close();
    expect(await known(current)).toEqual(before);
    expect(linesOf((await auditOf(current)).differences)).toEqual([]);
  });
});

describe('a vacant leg whose places were lost', () => {
  const service = withService();

  test('is nobody to bid for, papers or not, until its shipper says between which places it goes (S-258, T-55)', {
    timeout: SLOW,
  }, async () => {
    const { current } = service;
    const cast = await formedWithTerms(current);
    const { shipper, couriers, parcel } = cast;
    for (const [index, one] of couriers.entries()) if (index !== 1) await move(current, cast, index, one, 'accept');
    await current.advanceTime(7 * 3600);
    await untilPackage(current, parcel.id, ({ swarm }) => swarm?.legs[1]?.stage === 'vacant');
    expect((await shipper.client.listOpenings({ packageId: parcel.id })).items).not.toEqual([]);
    await untilQuiet(current);
    await current.loseDatabase();
    const again = async (party: Party) => ({
      ...party,
      client: createLegworkClient({ url: current.server.url, signer: party.signer }),
    });
    const [owner, other] = [await again(shipper), await again(await courier(current))];
    const rebuilt = await until('it is rebuilt', async () => {
      const { items } = await owner.client.listPackages({});
      return items.some(({ id }) => id === parcel.id) && owner.client.getPackage({ packageId: parcel.id });
    });
    const vacant = rebuilt.swarm?.legs[1];
    expect(vacant?.stage).toBe('vacant');
    await owner.client.givePapers(papersOf(parcel));
    expect((await owner.client.listOpenings({})).items).toEqual([]);
    expect((await owner.client.findWork({})).items).toEqual([]);
    expect((await owner.client.listRelays()).items).toEqual([]);
    const legId = vacant?.id ?? '';
    const bid = { ...bidInput(other, parcel.id, 'hauptbahnhof', 'alexanderplatz', 0.01), legId };
    await expect(other.client.submitBid(bid)).rejects.toThrow(/places were lost/);
    const moved = { packageId: parcel.id, legId, pickupLat: 52.5, pickupLng: 13.4 };
    await expect(owner.client.moveOpening(moved)).rejects.toThrow(/places were lost/);
    const placed = { ...moved, dropoffLat: 52.5219, dropoffLng: 13.4132 };
    await expect(other.client.moveOpening(placed)).rejects.toThrow(/only the shipper/);
    expect(await owner.client.moveOpening(placed)).toMatchObject({
      legId,
      pickup: { lat: 52.5, lng: 13.4 },
      dropoff: { lat: 52.5219, lng: 13.4132 },
    });
    await expect(owner.client.moveOpening(placed)).rejects.toThrow(/whose end is known/);
    expect((await owner.client.listOpenings({})).items).toMatchObject([{ legId }]);
    expect((await owner.client.findWork({})).items).toMatchObject([{ packageId: parcel.id }]);
    const places = { pickupLat: 52.5, pickupLng: 13.4, dropoffLat: 52.5219, dropoffLng: 13.4132 };
    await other.client.submitBid({ ...bid, ...places, distanceKm: 3 });
    await current.advanceTime(3600);
    await untilPackage(current, parcel.id, ({ swarm }) => swarm?.legs[1]?.agentPubkey === other.signer.address);
  });
});
