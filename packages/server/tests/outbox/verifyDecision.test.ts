import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { JSON_TYPE, post as postRaw } from '../http/rawRequest.js';
import { hold, letGo } from '../support/holdIntents.js';
import { bidInput, draft } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { type PackageDetail } from '@legwork/sdk';
import { balanceOf, claim, handIn, legIdOf, postedTask } from '../operations/digitalTasks/scene.js';
import { callSigned, callTool, post, signatureHeaders } from '../mcp/toolCalls.js';
import { statusOnLedger } from '../coordinator/scene.js';
import { PackageStatus } from '@legwork/program-client';
import { evaluatePackage } from '../../src/coordinator/evaluatePackage.js';
import { leaseNext } from '../../src/db/outbox.js';
import { formSwarmIntent } from '../../src/outbox/formSwarm.js';
import { OutdatedDecisionError } from '../../src/outbox/verifyDecision.js';
import { listPackage } from '../support/listed.js';
import { until } from '../support/until.js';

const lines: { msg: string; level: number; reason?: string }[] = [];
const service = withService({
  settings: (usual) => ({ ...usual, LOG_LEVEL: 'error' }),
  logTo: { write: (line: string) => void lines.push(JSON.parse(line)) },
});
afterEach(() => {
  lines.length = 0;
});

/** A package whose swarm is chosen of two signed bids, and not carried out until `letGo`. */
async function chosen(): Promise<{ parcel: PackageDetail; couriers: Party[] }> {
  const shipper = await service.current.party();
  const parcel = await listPackage(shipper.client, shipper.signer, draft());
  await hold(service.current, parcel.id);
  const couriers = await Promise.all([service.current.party(0), service.current.party(0)]);
  const [first, second] = couriers;
  await first.client.submitBid(bidInput(first, parcel.id, 'zoo', 'hauptbahnhof', 0.1));
  await second.client.submitBid(bidInput(second, parcel.id, 'hauptbahnhof', 'ostkreuz', 0.15));
  await until('a swarm is chosen', async () => (await intentOf(parcel.id)) !== undefined);
  return { parcel, couriers };
}

const intentOf = (id: string, kind = 'form_swarm', topic = 'package') =>
  service.current.db
    .selectFrom('outbox')
    .select(['status', 'last_error'])
    .where('subject', '=', `${topic}:${id}`)
    .where('kind', '=', kind as 'form_swarm')
    .executeTakeFirst();

/** Lets the intents of the listing go, and waits for what becomes of the one of this kind. */
async function carriedOut(id: string, kind?: string, topic: 'package' | 'task' = 'package') {
  await letGo(service.current, id);
  await until('it is over', async () => ['done', 'failed'].includes((await intentOf(id, kind, topic))?.status ?? ''));
  return intentOf(id, kind, topic);
}

const THIEF_PAID = 500_000_000;

/** The acts of somebody who can write the database, by name. */
const ATTACKS: [what: string, attack: (packageId: string, thief: string) => ReturnType<typeof sql>][] = [
  [
    'a thief who never bid in place of the winner, with all of the budget',
    (id, thief) => sql`
      with chain as (select swarms.id from swarms where package_id = ${id}),
        bid as (update bids set agent_pubkey = ${thief}, signed = false, call_signature = null where package_id = ${id}
          and id = (select bid_id from legs where leg_index = 0 and swarm_id in (select id from chain)) returning id),
        leg as (update legs set agent_pubkey = ${thief}, agreed_payment_lamports = ${THIEF_PAID - 150_000_000}
          where leg_index = 0 and swarm_id in (select id from chain)),
        rest as (update legs set agreed_payment_lamports = 150000000
          where leg_index = 1 and swarm_id in (select id from chain))
      update swarms set total_lamports = ${THIEF_PAID} where package_id = ${id}`,
  ],
  [
    'another payment',
    (id) => sql`
      with leg as (update legs set agreed_payment_lamports = agreed_payment_lamports + 1 where leg_index = 0
        and swarm_id in (select id from swarms where package_id = ${id}))
      update swarms set total_lamports = total_lamports + 1 where package_id = ${id}`,
  ],
  [
    'other places of a leg and its bid',
    (id) => sql`
      with leg as (update legs set personal = null, dropoff_lat = 52.511 where leg_index = 0
        and swarm_id in (select id from swarms where package_id = ${id}) returning bid_id)
      update bids set personal = null, dropoff_lat = 52.511 where id in (select bid_id from leg)`,
  ],
  ['a package that goes elsewhere', (id) => sql`update packages set personal = null, dest_lat = 48.1 where id = ${id}`],
  ['other considered bids', (id) => sql`update decisions set considered = '[]' where subject = ${`package:${id}`}`],
  [
    'an earlier instant of the decision',
    (id) => sql`update decisions set decided_at = decided_at - interval '1 day' where subject = ${`package:${id}`}`,
  ],
  ['no decision at all', (id) => sql`delete from decisions where subject = ${`package:${id}`}`],
];

describe('a formation that somebody rewrote in the database', () => {
  test.each(ATTACKS)('%s: nothing is signed, and an alarm says so (M-75, M-76)', async (_what, attack) => {
    const { parcel } = await chosen();
    const thief = await service.current.party(0);
    const { numAffectedRows } = await attack(parcel.id, thief.pubkey).execute(service.current.db);
    expect(numAffectedRows).toBeGreaterThan(0n);
    expect(await carriedOut(parcel.id)).toMatchObject({ status: 'failed' });
    expect(await statusOnLedger(service.current, parcel)).toBe(PackageStatus.Listed);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 50, msg: 'refused to sign what the coordinator did not decide' }),
    );
  });

  test('left as it was decided, it is formed (M-76)', async () => {
    const { parcel } = await chosen();
    expect(await carriedOut(parcel.id)).toMatchObject({ status: 'done' });
    expect(await statusOnLedger(service.current, parcel)).toBe(PackageStatus.InTransit);
    expect(lines).toEqual([]);
  });
});

/** A listed package with a bidding window, so that bids can be rewritten before one of them is chosen. */
async function collecting(bid: (courier: Party, packageId: string) => Promise<unknown>) {
  const shipper = await service.current.party();
  const parcel = await listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: 3600 }));
  const courier = await service.current.party(0);
  await bid(courier, parcel.id);
  return { parcel, courier };
}

/** Closes the bidding window. */
async function close(packageId: string): Promise<void> {
  await sql`update packages set bidding_closes_at = now(), evaluate_at = now() where id = ${packageId}`.execute(
    service.current.db,
  );
}

const wholeWay = (courier: Party, packageId: string) => ({
  ...bidInput(courier, packageId, 'zoo', 'ostkreuz', 0.2),
  expiresInSec: 7200,
});
const overRest = (courier: Party, packageId: string) => courier.client.submitBid(wholeWay(courier, packageId));
const overTool = (courier: Party, packageId: string) =>
  callSigned(service.current, courier.signer, 'svc_submit_bid', wholeWay(courier, packageId));
async function overMcp(courier: Party, packageId: string): Promise<void> {
  const call = { jsonrpc: '2.0', method: 'tools/call' };
  const batch = [
    { ...call, id: 1, params: { name: 'svc_economy_stats', arguments: {} } },
    { ...call, id: 2, params: { name: 'svc_submit_bid', arguments: wholeWay(courier, packageId) } },
  ];
  const body = JSON.stringify(batch);
  const headers = await signatureHeaders(service.current, courier.signer, body, '/mcp');
  const answer = await fetch(`${service.current.server.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-03-26',
      ...headers,
    },
    body,
  });
  // The answers come as they are ready.
  expect(await answer.text()).toContain(packageId);
}

/** The ledger's status of a package whose bid somebody rewrote before it was chosen, which is refused. */
async function statusAfter(
  bid: (courier: Party, packageId: string) => Promise<unknown>,
  changed: (thief: Party) => ReturnType<typeof sql>,
): Promise<PackageStatus> {
  const { parcel } = await collecting(bid);
  const thief = await service.current.party(0);
  await sql`update bids set ${changed(thief)} where package_id = ${parcel.id}`.execute(service.current.db);
  await close(parcel.id);
  await until('it is refused', async () => (await intentOf(parcel.id))?.status === 'failed');
  return statusOnLedger(service.current, parcel);
}

describe.each([
  ['REST', overRest],
  ['/mcp/call', overTool],
  ['/mcp', overMcp],
])('a bid that its agent signed over %s', (_entrance, bid) => {
  test('is kept with its signature, and wins as it was signed (S-95, S-96)', async () => {
    const { parcel, courier } = await collecting(bid);
    const kept = await service.current.db
      .selectFrom('bids')
      .innerJoin('signed_calls', 'signed_calls.signature', 'bids.call_signature')
      .select(['signed_calls.pubkey', 'operation'])
      .where('package_id', '=', parcel.id)
      .execute();
    expect(kept).toEqual([{ pubkey: courier.pubkey, operation: 'submitBid' }]);
    await close(parcel.id);
    await until('it is over', async () => (await intentOf(parcel.id))?.status === 'done');
    expect(await statusOnLedger(service.current, parcel)).toBe(PackageStatus.InTransit);
  });

  test('rewritten before the choice to be cheaper it forms nothing (S-96)', async () => {
    expect(await statusAfter(bid, () => sql`cost_lamports = 100000000`)).toBe(PackageStatus.Listed);
  });
});

test.each([
  ['the bid of a thief', (thief: Party) => sql`agent_pubkey = ${thief.pubkey}`],
  ['without what proves it', () => sql`call_signature = null, expires_at = now() + interval '3 days'`],
  ['for longer', () => sql`expires_at = expires_at + interval '1 day'`],
  ['over another way', () => sql`distance_km = 11.99`],
])('a signed bid that was rewritten before the choice to be %s forms nothing (S-96)', async (_what, changed) => {
  expect(await statusAfter(overRest, changed)).toBe(PackageStatus.Listed);
});

/** Chooses two minutes from now: what was signed before is then older than any clock could make it look. */
async function chooseLater(packageId: string): Promise<void> {
  const context = await service.current.context();
  try {
    const clock = () => new Date(Date.now() + 120_000);
    expect(await evaluatePackage({ ...context, clock }, context.db, packageId)).toBe('formed');
  } finally {
    await context.db.destroy();
  }
}

/** The only bid on a package, made by nobody knows whom in the name of the key. */
function bidInName({ pubkey }: Pick<Party, 'pubkey'>) {
  return (_courier: Party, packageId: string) =>
    callTool(service.current, 'svc_submit_bid', {
      ...bidInput({ pubkey }, packageId, 'zoo', 'ostkreuz', 0.2),
      expiresInSec: 7200,
    });
}

describe('an unsigned bid in the name of a key that has signed', () => {
  test.each([
    ['never signed', (key: string) => sql`delete from signing_keys where pubkey = ${key}`],
    [
      'asked for unsigned calls',
      (key: string) => sql`update signing_keys set asks_for_signatures = false,
        call_signature = (select signature from signed_calls where pubkey = ${key}) where pubkey = ${key}`,
    ],
  ])('wins nothing where the database was made to say that it %s (M-38, S-97)', async (_what, attack) => {
    const victim = await service.current.party(0);
    await victim.client.registerAgent({ agentPubkey: victim.pubkey });
    await attack(victim.pubkey).execute(service.current.db);
    const { parcel } = await collecting(bidInName(victim));
    await chooseLater(parcel.id);
    await until('it is refused', async () => (await intentOf(parcel.id))?.status === 'failed');
    expect(await statusOnLedger(service.current, parcel)).toBe(PackageStatus.Listed);
  });

  test('wins where its key asked for unsigned calls itself (S-16, S-97)', async () => {
    const agent = await service.current.party(0);
    await agent.client.updateAgent({ agentPubkey: agent.pubkey, requireSignedCalls: true });
    await agent.client.updateAgent({ agentPubkey: agent.pubkey, requireSignedCalls: false });
    const { parcel } = await collecting(bidInName(agent));
    await chooseLater(parcel.id);
    await until('it is formed', async () => (await intentOf(parcel.id))?.status === 'done');
    expect(await statusOnLedger(service.current, parcel)).toBe(PackageStatus.InTransit);
  });
});

test('a signed request that binds its key has at most 64 KiB, as a tool call too, and changes nothing else (S-95)', async () => {
  const agent = await service.current.party(0);
  const { parcel } = await collecting(() => Promise.resolve());
  const call = { tool: 'svc_submit_bid', arguments: wholeWay(agent, parcel.id) };
  const send = async (bytes: number) => {
    const body = JSON.stringify(call).padEnd(bytes);
    const headers = await signatureHeaders(service.current, agent.signer, body);
    const answer = await post(service.current.server.url, body, headers);
    const bids = service.current.db.selectFrom('bids').select('id').where('package_id', '=', parcel.id).execute();
    return { told: await answer.text(), bids: (await bids).length };
  };
  const refused = await send(65_537);
  expect(refused.told).toContain('body_too_large');
  expect(refused.bids).toBe(0);
  const taken = await send(65_536);
  expect(taken).toMatchObject({ told: expect.stringContaining('"isError":false'), bids: 1 });
});

test.each([
  ['/bids?', 201, 1],
  ['/%62ids', 401, 0],
  ['/./bids', 404, 0],
])('a bid that its agent signed for the path %s is answered %i (S-95)', async (path, answer, kept) => {
  const { parcel, courier } = await collecting(() => Promise.resolve());
  const body = JSON.stringify(wholeWay(courier, parcel.id));
  const { url } = service.current.server;
  const headers = await signatureHeaders(service.current, courier.signer, body, path);
  const { status } = await postRaw(Number(new URL(url).port), path, body, { ...headers, ...JSON_TYPE });
  const rows = await service.current.db.selectFrom('bids').select('id').where('package_id', '=', parcel.id).execute();
  expect({ status, bids: rows.length }).toEqual({ status: answer, bids: kept });
});

describe('what was decided for a digital task', () => {
  test('a leg goes to no agent but the one it was decided for (M-76)', async () => {
    const { task } = await postedTask(service.current);
    await hold(service.current, task.id, 'task');
    const [agent, thief] = await Promise.all([service.current.party(0), service.current.party(0)]);
    const claimed = claim(agent, task, 0).catch(() => undefined);
    await until('it is decided', async () => (await intentOf(task.id, 'assign_task_leg', 'task')) !== undefined);
    await sql`update digital_legs set agent_pubkey = ${thief.pubkey}, signed = false, call_signature = null
      where id = ${legIdOf(task, 0)}`.execute(service.current.db);
    expect(await carriedOut(task.id, 'assign_task_leg', 'task')).toMatchObject({ status: 'failed' });
    await claimed;
  });

  test('no result but the one that was handed in is paid for (M-76)', async () => {
    const { task } = await postedTask(service.current);
    const agent = await service.current.party(0);
    await claim(agent, task, 0);
    await hold(service.current, task.id, 'task');
    const handedIn = handIn(agent, task, 0).catch(() => undefined);
    await until('it is decided', async () => (await intentOf(task.id, 'confirm_task_leg', 'task')) !== undefined);
    await sql`update digital_legs set result_hash = ${'0'.repeat(64)} where id = ${legIdOf(task, 0)}`.execute(
      service.current.db,
    );
    expect(await carriedOut(task.id, 'confirm_task_leg', 'task')).toMatchObject({ status: 'failed' });
    expect(await balanceOf(service.current, agent)).toBe(0n);
    await handedIn;
  });

  test.each(['confirm_task_leg', 'release_task_leg'])('an inserted %s is not carried out (M-75)', async (kind) => {
    const { task } = await postedTask(service.current);
    const agent = await service.current.party(0);
    await claim(agent, task, 0);
    const legId = legIdOf(task, 0);
    const { db } = service.current;
    await sql`update digital_legs set result = 'none', result_hash = ${'0'.repeat(64)} where id = ${legId}`.execute(db);
    await sql`insert into outbox (kind, subject, unique_key, payload)
      values (${kind}, ${`task:${task.id}`}, ${`${kind}:${legId}:1`}, ${JSON.stringify({ legId, claim: 1 })})`.execute(
      db,
    );
    expect(await carriedOut(task.id, kind, 'task')).toMatchObject({
      status: 'failed',
      last_error: 'nobody decided it',
    });
    expect(await balanceOf(service.current, agent)).toBe(0n);
  });

  test('an inserted listing at the coordinator’s expense is not carried out (M-75)', async () => {
    const shipper = await service.current.party();
    const { packageId: id } = await shipper.client.buildListTx({ ...draft(), shipperPubkey: shipper.pubkey });
    const { db } = service.current;
    const { coordinatorPubkey } = await shipper.client.getConfig();
    await sql`update packages set funder_pubkey = ${coordinatorPubkey} where id = ${id}`.execute(db);
    await sql`insert into outbox (kind, subject, unique_key, payload)
      values ('list_package', ${`package:${id}`}, ${`list_package:${id}`}, ${JSON.stringify({ packageId: id })})`.execute(
      db,
    );
    expect(await carriedOut(id, 'list_package')).toMatchObject({ status: 'failed', last_error: 'nobody decided it' });
  });

  test('a decision serves no other intent (M-75)', async () => {
    const { task } = await postedTask(service.current);
    const agent = await service.current.party(0);
    await claim(agent, task, 0);
    const legId = legIdOf(task, 0);
    const { db } = service.current;
    await sql`insert into decisions select ${`release_task_leg:${legId}:1`}, 'release_task_leg', subject, considered, chosen, decided_at, mac
      from decisions where unique_key = ${`assign_task_leg:${legId}:1`}`.execute(db);
    await sql`insert into outbox (kind, subject, unique_key, payload)
      values ('release_task_leg', ${`task:${task.id}`}, ${`release_task_leg:${legId}:1`}, ${JSON.stringify({ legId, claim: 1 })})`.execute(
      db,
    );
    expect(await carriedOut(task.id, 'release_task_leg', 'task')).toMatchObject({ status: 'failed' });
  });
});

test('a swarm of an unsigned bid is to be chosen again once unsigned calls bind nobody (S-16, M-76)', async () => {
  const { parcel } = await collecting(bidInName(await service.current.party(0)));
  const context = await service.current.context();
  try {
    await hold(service.current, parcel.id);
    await close(parcel.id);
    await until('it is decided', async () => (await intentOf(parcel.id)) !== undefined);
    await service.current.stop();
    await letGo(service.current, parcel.id);
    const intent = await leaseNext(context.db, 0);
    if (intent?.kind !== 'form_swarm') throw new Error('the formation is due');
    const config = { ...context.config, unsignedCalls: 'none' as const };
    await expect(formSwarmIntent.instructions({ ...context, config }, intent)).rejects.toThrow(OutdatedDecisionError);
    expect((await formSwarmIntent.instructions(context, intent))?.instructions).toHaveLength(2);
  } finally {
    await context.db.destroy();
    await service.current.restart();
  }
});
