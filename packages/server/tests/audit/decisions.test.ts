import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { postSponsored } from '../operations/sponsoring/scene.js';
import { formedPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { auditOf, linesOf } from './scene.js';

const service = withService();
let keys: { loser: string; courier: string; worker: string };

beforeAll(async () => {
  const { couriers } = await formedPackage(service.current, [
    ['zoo', 'hauptbahnhof', 0.101],
    ['zoo', 'hauptbahnhof', 0.1],
    ['hauptbahnhof', 'ostkreuz', 0.15],
  ]);
  const { task } = await postedTask(service.current);
  const worker = await service.current.party(0);
  await claim(worker, task, 0);
  await handIn(worker, task, 0);
  await untilTask(service.current, task.id, ({ legs }) => legs[0]?.status === 'completed');
  await worker.client.updateAgent({ agentPubkey: worker.pubkey, requireSignedCalls: true });
  const { pubkey } = await service.current.party();
  await postSponsored(service.current, pubkey);
  const [loser, courier] = couriers;
  keys = { loser: loser?.pubkey ?? '', courier: courier?.pubkey ?? '', worker: worker.pubkey };
  await untilQuiet(service.current);
  await service.current.stop();
});

test('an audit makes every choice again, checks every signature, and finds no difference (S-98)', async () => {
  const { differences, notes, compared } = await auditOf(service.current);
  expect(linesOf([...differences, ...notes])).toEqual([]);
  // Two chosen bids, a claim, and what a profile asks for.
  expect(compared).toMatchObject({ choices: 1, signatures: 4, sponsored: 1 });
});

/** Changes that a database writer made after the decision, their undoing, and the audit's finding. */
const TAMPERINGS: [what: string, tamper: () => string, undo: () => string, says: RegExp][] = [
  [
    'a payment that the bids do not call for',
    () => `update decisions set considered = regexp_replace(considered, ',50]', ',60]', 'g')`,
    () => `update decisions set considered = regexp_replace(considered, ',60]', ',50]', 'g')`,
    /^package .*: the choice of swarm .* does not hold: its payments are not those of its bids$/,
  ],
  [
    'a chosen bid that was not considered',
    () =>
      `update decisions set considered = jsonb_build_array(considered::jsonb -> 0)::text where considered is not null`,
    () => `update decisions set considered = saved.considered from saved where saved.unique_key = decisions.unique_key`,
    /does not hold: a bid of it was not considered$/,
  ],
  [
    'a better bid that was not chosen',
    () =>
      `update decisions set considered = replace(considered, bids.id || '",50]', bids.id || '",100]')
        from bids where bids.agent_pubkey = '${keys.loser}' and considered is not null`,
    () => `update decisions set considered = saved.considered from saved where saved.unique_key = decisions.unique_key`,
    /does not hold: another chain is the best$/,
  ],
  [
    'considered bids that are no text of ours',
    () => `update decisions set considered = '{"a":1}' where considered is not null`,
    () => `update decisions set considered = saved.considered from saved where saved.unique_key = decisions.unique_key`,
    /does not hold: bids that it was made of are gone$/,
  ],
  [
    'a decision that is gone',
    () => `delete from decisions where kind = 'form_swarm'`,
    () => `insert into decisions select * from saved where kind = 'form_swarm'`,
    /^package .*: no decision of swarm .* is kept$/,
  ],
  [
    'places of a bid that its agent did not sign',
    () => `update bids set distance_km = distance_km + 1 where agent_pubkey = '${keys.courier}'`,
    () => `update bids set distance_km = distance_km - 1 where agent_pubkey = '${keys.courier}'`,
    /^bid .*: is not what its key signed$/m,
  ],
  [
    'a body that was not signed',
    () => `update signed_calls set body = body || ' ' where operation = 'bidDigitalLeg'`,
    () => `update signed_calls set body = rtrim(body) where operation = 'bidDigitalLeg'`,
    /^digital task .*: is not what its key signed$/,
  ],
  [
    'a signature requirement that was switched off',
    () => `update signing_keys set asks_for_signatures = false where pubkey = '${keys.worker}'`,
    () => `update signing_keys set asks_for_signatures = true where pubkey = '${keys.worker}'`,
    /^agent .*: is not what its key signed$/,
  ],
  [
    'an advance that is counted nowhere',
    () => `with gone as (delete from sponsorships returning *) insert into saved_sponsorships select * from gone`,
    () => `insert into sponsorships select * from saved_sponsorships`,
    /^package .*: what the coordinator advanced is counted nowhere \(tx /,
  ],
  [
    'an advance that is said to be back',
    () => `update sponsorships set is_returned = true`,
    () => `update sponsorships set is_returned = false`,
    /^package .*: advance is back is true here, false on the ledger$/,
  ],
  [
    'a smaller advance',
    () => `update sponsorships set lamports = lamports / 2`,
    () => `update sponsorships set lamports = lamports * 2`,
    /^package .*: \d+ lamports are counted as advanced, less than its budget \(tx /,
  ],
];

describe('an audit of decisions that were tampered with (S-98)', () => {
  beforeAll(async () => {
    await sql`create table saved as table decisions`.execute(service.current.db);
    await sql`create table saved_sponsorships (like sponsorships)`.execute(service.current.db);
  });

  test.each(TAMPERINGS)('tells of %s', async (_what, tamper, undo, says) => {
    const { numAffectedRows } = await sql.raw(tamper()).execute(service.current.db);
    expect(numAffectedRows).toBeGreaterThan(0n);
    const { differences } = await auditOf(service.current);
    await sql.raw(undo()).execute(service.current.db);
    expect(linesOf(differences).join('\n')).toMatch(says);
  });

  test('and of nothing once all of it is undone', async () => {
    expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
  });
});
