import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transferLamports } from '@legwork/program-client';
import { lamports } from '@solana/kit';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { mayMount, ran } from '../../../postgres/tests/mount.js';
import { FinalityWatch } from '../../src/mirror/finality.js';
import { ageMissing, applied } from '../mirror/finalityScene.js';
import { carryTo, formedWithTerms, legNow, move, moveWithText, at } from '../operations/turns/scene.js';
import { hold, letGo } from '../support/holdIntents.js';
import { listPackage } from '../support/listed.js';
import { bidInput, draft, untilPackage } from '../support/market.js';
import { TestService, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { SilentProxy } from '../support/silentProxy.js';
import { land, signed } from '../support/transactions.js';
import { until } from '../support/until.js';
import { Receiver } from '../webhooks/receiver.js';
import { press, withVisitors } from './acting.js';
import { consoleAddress } from './ops.js';
import { Reader } from './reader.js';
import { barriers, overhang } from './visit.js';

const LOOKS = [
  { width: 360, theme: 'light' },
  { width: 390, theme: 'dark' },
  { width: 1440, theme: 'light' },
  { width: 1440, theme: 'dark' },
] as const;
const MIB = 1024 * 1024;
let files = '';
beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'legwork-files-'));
  if (mayMount) ran('mount', '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', files);
});
afterAll(async () => {
  if (mayMount) ran('umount', files);
  await rm(files, { recursive: true, force: true });
});

const service = withService({
  lying: true,
  settings: (usual) => ({
    ...usual,
    WEBHOOK_TARGETS: 'any',
    ...(mayMount && { ARTIFACTS_DIR: files, ARTIFACTS_RESERVE_MIB: '4' }),
  }),
});
const { visitor } = withVisitors(service);
afterEach(() => service.current.node.mend());

/** The console, open. */
async function opened(look?: Parameters<typeof visitor>[2]): Promise<Page> {
  const { page } = await visitor([], undefined, look);
  await page.goto(await consoleAddress(service.current));
  await page.getByText(/^Open until/).waitFor();
  return page;
}

const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' });
/** The list item of one kind of trouble. */
const told = (page: Page, title: string) =>
  attention(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { level: 3, name: title }) });
/** The message of the page once nothing is left. */
async function atLast(page: Page): Promise<string> {
  await page.getByText('Nothing needs').waitFor({ timeout: 30_000 });
  return attention(page).getByRole('status').first().innerText();
}
const CALM = 'Nothing needs attention.';
/** Presses a button, reads what it does and costs, and says yes. @param mend ends the cause before that @returns what the page says then */
async function ask(page: Page, button: string, mend?: () => Promise<unknown>): Promise<string> {
  await press(page, button);
  expect(await page.getByRole('alertdialog', { name: button }).innerText()).toMatch(/pays|costs/);
  await mend?.();
  await press(page, 'Yes, do it');
  const said = attention(page).getByText(/^(Done|Not yet): /);
  return said.innerText();
}

const db = () => service.current.db;
const agedIntents = () =>
  db()
    .updateTable('outbox')
    .set({ created_at: new Date(Date.now() - 120_000) })
    .where('status', '<>', 'done')
    .execute();

describe('the console finds', () => {
  test('a silent ledger, and what waits for it, which is tried again all at once, by a keyboard alone (D-96, S-260, S-261)', async () => {
    const one = await visitor([]);
    const { page } = one;
    const reader = await Reader.of(one);
    await page.goto(await consoleAddress(service.current));
    await page.getByText(/^Open until/).waitFor();
    const shippers = [await service.current.party(), await service.current.party()];
    await service.current.node.begin({ kind: 'refused' });
    const posts = shippers.map(({ client, pubkey }) => {
      const idempotencyKey = randomUUID();
      return () => client.postSponsored({ ...draft({ maxBudgetSol: 0.1 }), shipperPubkey: pubkey }, { idempotencyKey });
    });
    // They wait for the ledger, but not for as long as a slow machine looks at the console.
    const waiting = Promise.allSettled(posts.map((post) => post()));
    await until('they wait', async () => {
      const rows = await db().selectFrom('outbox').select('id').where('status', '<>', 'done').execute();
      return rows.length === 2;
    });
    await agedIntents();
    await told(page, 'The ledger is silent').getByText('SOLANA_RPC_URL').first().waitFor();
    await told(page, 'Left to do on the ledger: list_package').waitFor();
    await page.getByRole('region', { name: 'Ledger' }).first().getByText('Look', { exact: true }).waitFor();
    for (const look of LOOKS) {
      const seen = await opened(look);
      await told(seen, 'Left to do on the ledger: list_package').waitFor();
      const folder = process.env['PICTURES'];
      if (folder) await seen.screenshot({ path: `${folder}/faults-${look.width}-${look.theme}.png`, fullPage: true });
      expect(await overhang(seen)).toBe(0);
      expect(await barriers(seen)).toEqual([]);
    }
    await reader.outlined('the console with much to do');
    await reader.press('Retry now: all 2');
    await reader.asked('Retry now: all 2', /the coordinator pays what the work costs anyway/);
    await reader.press('Yes, do it');
    await reader.hears('Done: 2 of list_package are due now.');
    await reader.kept('after all were tried again');
    expect(reader.faults).toEqual([]);
    await service.current.node.mend();
    await waiting;
    for (const post of posts) expect((await post()).status).toBe('listed');
    expect(await atLast(page)).toBe(CALM);
  });

  test('an intent that was given up, which is tried again once its cause is gone (S-260, S-261)', async () => {
    const page = await opened();
    const [shipper, courier] = [await service.current.party(), await service.current.party(0)];
    const { id } = await listPackage(shipper.client, shipper.signer, draft({}));
    await hold(service.current, id);
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    const paid = (more: number) => sql`
      with leg as (update legs set agreed_payment_lamports = agreed_payment_lamports + ${more}::int8
        where swarm_id in (select id from swarms where package_id = ${id}) returning id)
      update swarms set total_lamports = total_lamports + ${more}::int8 where package_id = ${id}`;
    await until('a swarm is chosen', async () => {
      const rows = await db().selectFrom('outbox').select('id').where('kind', '=', 'form_swarm').execute();
      return rows.length > 0;
    });
    await paid(1).execute(db());
    await letGo(service.current, id);
    const group = told(page, 'Left to do on the ledger: form_swarm');
    await group.getByText('form_swarm was given up').waitFor();
    await paid(-1).execute(db());
    expect(await ask(page, 'Retry now')).toBe('Done: form_swarm is due now.');
    expect(await atLast(page)).toBe(CALM);
    await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
  });

  test('an empty coordinator, with where to send SOL (S-260)', async () => {
    const page = await opened();
    const { coordinator } = service.current.ledger.keypairs;
    const { value: balance } = await service.current.rpc.getBalance(coordinator.signer.address).send();
    const away = await service.current.party(0);
    const left = lamports(50_000_000n);
    await land(
      service.current,
      await signed(
        service.current,
        [coordinator.signer],
        [transferLamports(coordinator.signer.address, away.signer.address, balance - left)],
      ),
    );
    const group = told(page, 'The coordinator has too little');
    await group.getByText(`Send SOL to ${coordinator.signer.address}`).waitFor();
    await page.getByRole('region', { name: 'Coordinator' }).getByText('Look', { exact: true }).waitFor();
    await service.current.rpc.requestAirdrop(coordinator.signer.address, lamports(500_000_000_000n)).send();
    expect(await atLast(page)).toBe(CALM);
  });

  test('a webhook whose receiver fails (S-260)', async () => {
    const page = await opened();
    const receiver = await Receiver.start();
    onTestFinished(() => receiver.stop());
    const owner = await service.current.party();
    const { id } = await owner.client.registerWebhook({ url: receiver.url, secret: receiver.secret });
    receiver.answer = (_, response) => response.writeHead(410).end();
    await listPackage(owner.client, owner.signer, draft({}));
    await told(page, 'Webhooks that fail').getByText('its receiver answers 410').waitFor();
    await owner.client.deleteWebhook({ webhookId: id });
    expect(await atLast(page)).toBe(CALM);
  });

  test('events without a number, until one is numbered again (S-260)', async () => {
    const page = await opened();
    const shipper = await service.current.party();
    const numbering = 0x72656c6179;
    // As a replica does that numbers, and hangs.
    await db()
      .connection()
      .execute(async (hanging) => {
        await sql`select pg_advisory_lock(${sql.lit(numbering)})`.execute(hanging);
        await listPackage(shipper.client, shipper.signer, draft({}));
        await sql`update events set occurred_at = now() - interval '2 minutes' where seq is null`.execute(hanging);
        await told(page, 'Events without a number').getByText('have no number yet').waitFor();
        await sql`select pg_advisory_unlock(${sql.lit(numbering)})`.execute(hanging);
      });
    expect(await atLast(page)).toBe(CALM);
  });

  test('a clock that ended and nobody acts on, which a sweep ends (S-260, S-261)', async () => {
    const page = await opened();
    const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.05]]);
    const refuse = `create function refuse_cranks() returns trigger language plpgsql as $$ begin raise exception 'no cranks'; end $$`;
    await sql.raw(refuse).execute(db());
    await sql`create trigger refuse_cranks before insert on outbox for each row when (new.kind = 'crank_leg') execute function refuse_cranks()`.execute(
      db(),
    );
    const { until: ends } = await legNow(service.current, cast.parcel.id, 0);
    await service.current.advanceTime(Math.ceil(((ends?.getTime() ?? 0) - Date.now()) / 1000) + 3600);
    const group = told(page, 'Due, and nobody acts');
    await group.getByText('the clock of a leg has ended').waitFor();
    const mend = () => sql`drop trigger refuse_cranks on outbox`.execute(db());
    expect(await ask(page, 'Sweep', mend)).toMatch(/^Done: every worker/);
    await until('it is vacant', async () => (await legNow(service.current, cast.parcel.id, 0)).stage === 'vacant');
    expect(await atLast(page)).toBe(CALM);
  });

  test('a dispute near its end, with whom to remind (S-260)', async () => {
    const page = await opened();
    const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.05]], { arbitrationSec: 3600 });
    await carryTo(service.current, cast, 0);
    await moveWithText(service.current, cast, 0, at(cast.couriers, 0), 'claim', 'it is there');
    await moveWithText(service.current, cast, 0, cast.shipper, 'dispute', 'it is not');
    await told(page, 'Disputes near their end').getByText('Remind the arbiter').waitFor();
    await move(service.current, cast, 0, cast.arbiter, 'rule', { percent: 50 });
    expect(await atLast(page)).toBe(CALM);
  });

  test.skipIf(!mayMount)('a disk for files that is full (S-260)', async () => {
    const page = await opened();
    await writeFile(join(files, 'filling'), Buffer.alloc(6 * MIB));
    await told(page, 'No room for files').getByText('ARTIFACTS_RESERVE_MIB').waitFor();
    await rm(join(files, 'filling'));
    expect(await atLast(page)).toBe(CALM);
  });
});

describe('on a ledger that goes back', () => {
  const forked = withService();
  const { visitor: another } = withVisitors(forked);

  const look = async () => {
    const context = await forked.current.context();
    await new FinalityWatch(context).round();
    await context.db.destroy();
  };
  const states = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await applied(forked.current, `package:${id}`)).at(-1)?.state));

  test('listings that halt are found, and healed at once (S-257, S-260, S-261)', { timeout: 120_000 }, async () => {
    const shipper = await forked.current.party(5);
    const listing = () => listPackage(shipper.client, shipper.signer, draft({}));
    const ids = [(await listing()).id, (await listing()).id];
    await untilQuiet(forked.current);
    const memory = await forked.current.testLedger.remember();
    for (const id of ids) {
      const courier = await forked.current.party(0);
      await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
      await untilPackage(forked.current, id, ({ status }) => status === 'in_transit');
    }
    await untilQuiet(forked.current);
    await forked.current.testLedger.goBackTo(memory);
    await until('the service knows', async () => {
      await look();
      return (await states(ids)).every((state) => state === 'confirmed');
    });
    await forked.current.advanceTime(200);
    await until('they are halted', async () => {
      await ageMissing(forked.current);
      await look();
      return (await states(ids)).every((state) => state === 'reverted');
    });
    const { page } = await another([]);
    await page.goto(await consoleAddress(forked.current));
    await told(page, 'Halted listings').getByText('the ledger took back').first().waitFor();
    expect(await ask(page, 'Heal now: all 2')).toBe('Done: 2 of 2 stand as the ledger has them.');
    expect(await atLast(page)).toBe(CALM);
  });
});

describe('of a service whose database falls silent', () => {
  test('what was read stays with its age, and the console says what does not answer (S-81, S-260)', async () => {
    const proxy = await SilentProxy.start(service.current.environment()['DATABASE_URL'] ?? '');
    const behind = await TestService.start({
      settings: (usual) => ({ ...usual, DATABASE_URL: proxy.through(usual['DATABASE_URL'] ?? '') }),
    });
    onTestFinished(async () => {
      proxy.mend();
      await behind.close();
      proxy.close();
    });
    const { page } = await visitor([]);
    await page.goto(await consoleAddress(behind));
    await page.getByText(/^Open until/).waitFor();
    proxy.silence();
    const silent = page.getByRole('alert').filter({ hasText: 'no answer from: database' });
    await silent.waitFor({ timeout: 60_000 });
    expect(await silent.innerText()).toMatch(/Everything below is from \d/);
    proxy.mend();
    await silent.waitFor({ state: 'detached', timeout: 60_000 });
  });
});
