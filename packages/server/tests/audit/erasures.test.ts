import type { LedgerFacts } from '@legwork/program-client/facts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDatabase } from '../../../audit/src/database.js';
import { Findings } from '../../../audit/src/findings.js';
import { compareErasures } from '../../../audit/src/mirror/erasures.js';
import type { AppContext } from '../../src/context.js';
import { eraseDue } from '../../src/personal/erasing.js';
import { claim, handIn, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { formedPrivately } from '../operations/personalData/scene.js';
import { carryTo, move } from '../operations/turns/scene.js';
import { confirmAll, formedPackage, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { factsOf } from './readings.js';
import { auditOf, linesOf, restoreMirror, saveMirror } from './scene.js';

const service = withService();
let context: AppContext;
let facts: LedgerFacts;
let plain: { shipper: Party; id: string };
let withTerms: { shipper: Party; id: string };
let kept: { shipper: Party; id: string };
let openId: string;
let task: { poster: Party; id: string };

async function delivered() {
  const formed = await formedPackage(service.current, [
    ['zoo', 'alexanderplatz', 0.1],
    ['alexanderplatz', 'ostkreuz', 0.1],
  ]);
  await confirmAll(service.current, formed);
  await untilPackage(service.current, formed.parcel.id, ({ status }) => status === 'delivered');
  return { shipper: formed.shipper, id: formed.parcel.id };
}

async function deliveredWithTerms() {
  const cast = await formedPrivately(service.current);
  await carryTo(service.current, cast, 2);
  await move(service.current, cast, 2, cast.shipper, 'confirm');
  await untilPackage(service.current, cast.parcel.id, ({ status }) => status === 'delivered');
  return { shipper: cast.shipper, id: cast.parcel.id };
}

async function completed() {
  const { poster, task: posted } = await postedTask(service.current);
  for (const index of [0, 1]) {
    const worker = await service.current.party(1);
    await claim(worker, posted, index);
    await handIn(worker, posted, index);
    await untilTask(service.current, posted.id, ({ completedLegs }) => completedLegs === index + 1);
  }
  await untilTask(service.current, posted.id, ({ status }) => status === 'completed');
  return { poster, id: posted.id };
}

beforeAll(async () => {
  context = await service.current.context();
  [plain, withTerms, kept] = [await delivered(), await deliveredWithTerms(), await delivered()];
  openId = (await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]])).parcel.id;
  task = await completed();
  await untilQuiet(service.current);
  await plain.shipper.client.erasePackageData({ packageId: plain.id });
  await withTerms.shipper.client.erasePackageData({ packageId: withTerms.id });
  await task.poster.client.eraseTaskData({ taskId: task.id });
  await service.current.stop();
  await saveMirror(service.current);
  await run('create table saved.signed_calls as table signed_calls');
  facts = await factsOf(service.current);
});
afterAll(() => context.db.destroy());

const run = (statement: string) => sql.raw(statement).execute(service.current.db);

async function restore(): Promise<void> {
  await restoreMirror(service.current);
  await run(
    'update signed_calls set body = saved.body from saved.signed_calls saved where saved.signature = signed_calls.signature',
  );
}

/** The audit's findings about erasures where listings are kept for so many days. */
async function erasuresSay(days: number, since: LedgerFacts = facts): Promise<string[]> {
  const findings = new Findings();
  const grounds = { days, nowMs: Date.now() };
  await readDatabase(service.current.db, (trx) => compareErasures(trx, since, grounds, findings));
  return linesOf(findings.differences);
}

describe('an audit after erasures', () => {
  test('finds nothing wrong where the listers signed for them (S-147)', async () => {
    const { differences } = await auditOf(service.current);
    expect(linesOf(differences)).toEqual([]);
  });

  test('finds nothing wrong where the time had come (S-145, S-147)', async () => {
    const month = 30 * 86_400;
    await run(`update ledger_transactions set applied_at = applied_at - interval '30 days'`);
    expect(await eraseDue(context)).toBe(1);
    const transactions = new Map(
      [...facts.transactions].map(([signature, { at: landed, ...one }]) => [
        signature,
        { ...one, at: landed === null ? null : landed - BigInt(month) },
      ]),
    );
    expect(await erasuresSay(30, { ...facts, transactions })).toEqual([]);
    // Whoever set a clock in the database back is found: the ledger's counts.
    expect(await erasuresSay(30)).toEqual([
      expect.stringMatching(`package ${kept.id}: was erased sooner than 30 days`),
    ]);
    expect(await erasuresSay(0)).toHaveLength(1);
    await restore();
  });
});

const MARKED = `description = 'erased', salt = null, personal = null, private_hashes = null, origin_lat = 53, origin_lng = 13, dest_lat = 53, dest_lng = 13`;
const callOf = (id: string) => `(select erase_call from packages where id = '${id}')`;

describe('a forger who writes "erased"', () => {
  test.each<[string, () => string, () => [string, RegExp]]>([
    [
      'over what was changed',
      () => `update packages set ${MARKED}, erased_at = now() where id = '${kept.id}'`,
      () => [kept.id, /was erased sooner than 30 days after its end, and its lister did not ask for it/],
    ],
    [
      'with a time long ago, or to come',
      () => `update packages set ${MARKED}, erased_at = now() + interval '90 days' where id = '${kept.id}'`,
      () => [kept.id, /was erased sooner than 30 days/],
    ],
    [
      'with the call for another package',
      () =>
        `update packages set ${MARKED}, erased_at = now(), erase_call = ${callOf(plain.id)} where id = '${kept.id}'`,
      () => [kept.id, /was erased by a call that its lister did not sign for it/],
    ],
    [
      'over a package that is under way',
      () => `update packages set ${MARKED}, erased_at = now() where id = '${openId}'`,
      () => [openId, /was erased before it ended on the ledger/],
    ],
    [
      'and something else with it',
      () => `update packages set description = 'a violin' where id = '${plain.id}'`,
      () => [plain.id, /holds something else than the marks of that/],
    ],
    [
      'and a place with it',
      () => `update packages set origin_lat = 52.5 where id = '${plain.id}'`,
      () => [plain.id, /holds something else than the marks of that/],
    ],
    [
      'and takes the proof away',
      () => `update packages set erase_call = null where id = '${plain.id}'`,
      () => [plain.id, /was erased sooner than 30 days/],
    ],
    [
      'over a task, and a result of his own with it',
      () => `update digital_legs set result = 'mine' where task_id = '${task.id}' and leg_index = 0`,
      () => [task.id, /holds something else than the marks of that/],
    ],
    [
      'over a task, and takes the proof away',
      () => `update digital_tasks set erase_call = null where id = '${task.id}'`,
      () => [task.id, /was erased sooner than 30 days/],
    ],
    [
      'over the bids of a package that was not erased',
      () =>
        `update signed_calls set body = '' where signature in (select call_signature from bids where package_id = '${kept.id}')`,
      () => ['bid', /is not what its key signed/],
    ],
    [
      'over an erased package, and other payments with it',
      () => `update bids set cost_lamports = cost_lamports + 1 where package_id = '${plain.id}'`,
      () => [plain.id, /its payments are not those of its bids/],
    ],
  ])('%s is found (S-147)', async (_, statement, finding) => {
    await run(statement());
    const { differences } = await auditOf(service.current);
    await restore();
    const [subject, text] = finding();
    const found = linesOf(differences).filter((line) => line.includes(subject) && text.test(line));
    expect(found).not.toEqual([]);
  });
});
