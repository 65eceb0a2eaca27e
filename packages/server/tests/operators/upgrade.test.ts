import { createUuid } from '@legwork/protocol/contract';
import { createLegworkClient } from '@legwork/sdk';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/db/migrate.js';
import { readAdvanced } from '../../src/money/sponsorshipRows.js';
import { inTransaction } from '../../src/db/transaction.js';
import { claim, handIn, legIdOf, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { cancellation } from '../coordinator/scene.js';
import { answerOf, callTool } from '../mcp/toolCalls.js';
import { passADay, postSponsored, untilReturned } from '../operations/sponsoring/scene.js';
import { bidInput, draft } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { until } from '../support/until.js';
import { untilQuiet } from '../support/snapshot.js';
import { land } from '../support/transactions.js';
import { BEFORE_TERMS } from './formerSchema.js';

/** The version before had no keys. */
let isFormer = true;
const service = withService({
  settings: (usual) => (isFormer ? { ...usual, PERSONAL_DATA_KEYS: '' } : usual),
});

/** The schema as versions before had it. */
const BEFORE = [
  `drop index outbox_signatures`,
  `create table applied_instructions (
    signature text not null, instruction_index int4 not null, slot int8 not null, name text not null,
    applied_at timestamptz(3) not null default now(), primary key (signature, instruction_index))`,
  `insert into applied_instructions select signature, index - 1, slot, name, applied_at
    from ledger_transactions, unnest(instructions) with ordinality as one (name, index)`,
  `drop table ledger_transactions`,
  `alter table bids drop column call_signature`,
  `alter table digital_legs drop column call_signature`,
  `alter table reward_claims drop column call_signature, drop column mainnet_signature`,
  `drop table signing_keys`,
  `drop table signed_calls`,
  `drop table decisions`,
  `drop table earnings`,
  `drop index reputations_by_completed, agents_by_name, agents_by_address`,
  `drop index events_by_subject, events_by_type, packages_by_destination, legs_completed, packages_by_id_end, swarms_by_id_end,
    legs_by_id_end, digital_tasks_by_id_end, digital_legs_by_id_end, packages_by_vault, digital_tasks_by_vault,
    digital_legs_by_address, reputations_by_address`,
  `delete from meta where key like 'decisions_since:%'`,
  `drop table newcomers`,
  `alter table agents add column require_signed_calls boolean not null default false`,
  `alter table outbox drop column cost_lamports`,
  `alter table bids drop column client`,
  `alter table digital_legs drop column client, drop column turn_at`,
  `alter table sponsorships drop column signed, drop column is_returned`,
  `delete from kysely_migration where name >= '0007'`,
];

type Agents = Record<'asked' | 'registered' | 'bid' | 'claimed' | 'never', Party>;
let agents: Agents;
let posted: { shipper: Party; open: string; over: string };
let reserved: { first: Party; second: Party; task: Awaited<ReturnType<typeof postedTask>>['task'] };

async function signEach(): Promise<Agents> {
  const [asked, registered, bid, claimed, never] = await Promise.all([
    service.current.party(1),
    service.current.party(1),
    service.current.party(1),
    service.current.party(1),
    service.current.party(1),
  ]);
  for (const { client, pubkey } of [asked, registered]) await client.registerAgent({ agentPubkey: pubkey });
  const parcel = { ...draft(), shipperPubkey: never.pubkey, biddingWindowSec: 3600 };
  const packageId = String((await answerOf(service.current, 'svc_post_task', parcel))['id']);
  await bid.client.submitBid(bidInput(bid, packageId, 'zoo', 'ostkreuz', 0.1));
  await claim(claimed, (await postedTask(service.current)).task, 1);
  return { asked, registered, bid, claimed, never };
}

async function advance(): Promise<typeof posted> {
  const shipper = await service.current.party(1);
  const [open, over] = [
    await postSponsored(service.current, shipper.pubkey, { maxBudgetSol: 0.2 }),
    await postSponsored(service.current, shipper.pubkey, { maxBudgetSol: 0.3 }),
  ];
  const parcel = await shipper.client.getPackage({ packageId: over.body.id ?? '' });
  await land(service.current, await cancellation(service.current, shipper, parcel));
  await untilReturned(service.current, parcel.id);
  await passADay(service.current);
  return { shipper, open: open.body.id ?? '', over: parcel.id };
}

async function reserve(): Promise<typeof reserved> {
  const [first, second] = await Promise.all([service.current.party(1), service.current.party(1)]);
  const { task } = await postedTask(service.current);
  await claim(first, task, 0);
  await claim(second, task, 1);
  return { first, second, task };
}

/** The applied transactions in the ledger's order. Those that only name the program were not kept before. */
function readApplied() {
  return service.current.db
    .selectFrom('ledger_transactions')
    .select(['signature', 'slot', 'subjects', 'instructions'])
    .where(sql<boolean>`cardinality(instructions) > 0`)
    .orderBy('position')
    .execute();
}
let applied: Awaited<ReturnType<typeof readApplied>>;
/** The agents' earnings. */
const readEarnings = () => service.current.db.selectFrom('earnings').selectAll().execute();
let earned: Awaited<ReturnType<typeof readEarnings>>;

/** An agent does all of a task, and is paid. */
async function earn(): Promise<void> {
  const { task } = await postedTask(service.current, { legs: [{ instruction: 'all of it' }] });
  const worker = await service.current.party(0);
  await claim(worker, task, 0);
  await handIn(worker, task, 0);
  await untilTask(service.current, task.id, ({ status }) => status === 'completed');
}

/** Two intents that once had the same bytes. */
let equal: { signature: string; ids: bigint[] };

/** Gives the bytes of the oldest intent to one that is done and to one that is being sent. */
async function makeEqual(): Promise<typeof equal> {
  const { db } = service.current;
  const [first, ...others] = await db.selectFrom('outbox').selectAll().orderBy('id').limit(3).execute();
  if (!first?.signature || others.length < 2) throw new Error('three intents were carried out');
  const { signature, transaction, last_valid_block_height } = first;
  for (const [index, { id }] of others.entries()) {
    const status = index === 0 ? 'done' : 'sent';
    const bytes = { signature, transaction, last_valid_block_height, status } as const;
    await db.updateTable('outbox').set(bytes).where('id', '=', id).execute();
  }
  return { signature, ids: [first, ...others].map(({ id }) => id) };
}

beforeAll(async () => {
  agents = await signEach();
  posted = await advance();
  reserved = await reserve();
  await earn();
  const { db } = service.current;
  await untilQuiet(service.current);
  await service.current.stop();
  applied = await readApplied();
  earned = await readEarnings();
  await sql.raw(BEFORE[0] ?? '').execute(db);
  equal = await makeEqual();
  for (const statement of BEFORE_TERMS) await sql.raw(statement).execute(db);
  for (const statement of BEFORE.slice(1)) await sql.raw(statement).execute(db);
  await sql`update agents set require_signed_calls = true where pubkey = ${agents.asked.pubkey}`.execute(db);
  await migrate(db);
  isFormer = false;
  await service.current.restart();
});

describe('after an upgrade', () => {
  test('what agents earned before is summed up (S-134)', async () => {
    expect(earned).toHaveLength(1);
    expect(await readEarnings()).toEqual(expect.arrayContaining(earned));
  });

  test('what was applied keeps its place in the order of the ledger and its listings (S-51)', async () => {
    const kept = await readApplied();
    expect(kept.slice(0, applied.length)).toEqual(applied);
  });

  test('of intents with the same bytes the first keeps them, and one not done is signed again (S-51)', async () => {
    const { rows } = await sql<{ id: bigint; signature: string | null }>`
      select id, signature from outbox where id in (${sql.join(equal.ids)}) order by id`.execute(service.current.db);
    expect(rows[0]?.signature).toBe(equal.signature);
    expect(rows.slice(1).map(({ signature }) => signature)).not.toContain(equal.signature);
    await untilQuiet(service.current);
  });

  test('keys that have signed are signed-only, and so are those that asked for it (S-16)', async () => {
    const rows = await service.current.db.selectFrom('signing_keys').selectAll().execute();
    const askedOf = ({ pubkey }: Party) => rows.find((row) => row.pubkey === pubkey)?.asks_for_signatures;
    const { asked, registered, bid, claimed, never } = agents;
    expect([asked, registered, bid, claimed, never].map(askedOf)).toEqual([true, null, null, null, undefined]);

    const { task } = await postedTask(service.current);
    const claims = [asked, registered, bid, claimed, never].map(async ({ pubkey }, index) => {
      const leg = { taskId: task.id, legId: legIdOf(task, index === 4 ? 0 : 1), agentPubkey: pubkey };
      return (await callTool(service.current, 'svc_bid_digital_leg', { ...leg, bidSol: 0.01 })).body.isError;
    });
    expect(await Promise.all(claims)).toEqual([true, true, true, true, false]);
  });

  test('a reservation made before gets its work when its turn comes (M-56)', async () => {
    const { task, second } = reserved;
    // It listens on another port now.
    const again = ({ signer, pubkey }: Party): Party => {
      return { signer, pubkey, client: createLegworkClient({ url: service.current.server.url, signer }) };
    };
    await handIn(again(reserved.first), task, 0);
    await untilTask(service.current, task.id, ({ legs }) => legs[1]?.status === 'in_progress');
    await handIn(again(second), task, 1);
    const done = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    expect(done.legs.map(({ agentPubkey }) => agentPubkey)).toEqual([reserved.first.pubkey, second.pubkey]);
  });

  test('what was listed before is found, by its words too (M-86)', async () => {
    const client = createLegworkClient({ url: service.current.server.url });
    const byWords = async () => (await client.findWork({ q: 'books', kind: 'package' })).items;
    const { items } = await client.findWork({ kind: 'package' });
    expect(items.map(({ packageId }) => packageId)).toContain(posted.open);
    await until(
      'the packages that were listed before are marked',
      async () => (await byWords()).length === items.length,
    );
  });

  test('what was advanced counts on as unsigned, and only what is not back is outstanding (M-46)', async () => {
    const { db } = service.current;
    const { shipper, open, over } = posted;
    const rows = await db
      .selectFrom('sponsorships')
      .select(['subject_id', 'signed', 'is_returned'])
      .where('poster_pubkey', '=', shipper.pubkey)
      .execute();
    expect(rows.sort((one, other) => Number(one.is_returned) - Number(other.is_returned))).toEqual([
      { subject_id: open, signed: false, is_returned: false },
      { subject_id: over, signed: false, is_returned: true },
    ]);
    const asking = { poster: shipper.pubkey, signed: false, ip: createUuid(), purpose: 'listing' } as const;
    const { poster } = await inTransaction(db, (trx) => readAdvanced(trx, asking));
    expect(poster).toBeGreaterThan(200_000_000n);
    expect(poster).toBeLessThan(300_000_000n);
  });
});
