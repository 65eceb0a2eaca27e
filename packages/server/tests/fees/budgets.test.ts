import { toLamports } from '@legwork/protocol/contract';
import { createLegworkClient, listPackage } from '@legwork/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { chargeId } from '../../src/fees/budget.js';
import { draft } from '../support/market.js';
import { attempt, post, refusedWith } from '../support/refusal.js';
import { type Party, type TestService, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { received } from '../support/transactions.js';
import { coordinatorOf, decoded, paidByCoordinator } from './scene.js';

/** Of one cancellation: two signatures. */
const FEE = 10_000n;
/** Two for a key, three for an address, five in all. */
const BUDGETS = { FEES_KEY_SOL: '0.00002', FEES_IP_SOL: '0.00003', FEES_DAY_SOL: '0.00005' };
const service = withService({ settings: () => ({ TRUST_PROXY: '127.0.0.1', ...BUDGETS }) });
const small = withService({ settings: () => ({ TRUST_PROXY: '127.0.0.1', ...BUDGETS }) });
const unwilling = withService({ settings: () => ({ FEES_IP_SOL: '0' }) });
const poor = withService({ settings: () => ({ COORDINATOR_RESERVE_SOL: '1000000' }) });

let addresses = 0;
const newAddress = () => ({ 'x-forwarded-for': `203.0.113.${(addresses += 1)}` });

/** A package of the shipper that it can cancel, and the cancellation, for the coordinator to pay. */
async function cancellation(of: TestService, shipper: Party): Promise<string> {
  const { id: packageId } = await listPackage(shipper.client, shipper.signer, draft());
  const { transaction } = await shipper.client.buildCancelTx({ packageId });
  return paidByCoordinator(of, transaction, [shipper]);
}

const relay = (of: TestService, transaction: string, from: Record<string, string> = newAddress()) =>
  post(of, '/transactions/relay', { transaction }, from);

async function chargedTo(of: TestService, { pubkey }: Party): Promise<bigint[]> {
  const rows = of.db.selectFrom('sponsorships').select('lamports').where('poster_pubkey', '=', pubkey);
  return (await rows.where('purpose', '=', 'fees').execute()).map(({ lamports }) => lamports);
}

/** Hands it in where nothing else happens. */
async function answerTo(of: TestService, transaction: string, from = newAddress()) {
  await untilQuiet(of);
  return attempt(of, [coordinatorOf(of)], () => relay(of, transaction, from));
}

const overBudget = (says: RegExp) =>
  refusedWith({ status: 422, code: 'sponsorship_cap', fields: ['transaction'], says });

test('the same transaction is paid for once and charged once, however often it is handed in (M-98)', async () => {
  const shipper = await service.current.party(1);
  const transaction = await cancellation(service.current, shipper);
  const answers = await Promise.all([1, 2, 3].map(() => shipper.client.relayTransaction({ transaction })));
  const again = await shipper.client.relayTransaction({ transaction });
  expect(new Set([...answers, again].map(({ signature }) => signature)).size).toBe(1);
  expect(await chargedTo(service.current, shipper)).toEqual([FEE]);
  expect(await received(service.current, again.signature, coordinatorOf(service.current))).toBe(-FEE);
});

test('a service that ended between charge and signature pays for it when it is handed in again, and charges nothing more (M-98)', async () => {
  const shipper = await service.current.party(1);
  const transaction = await cancellation(service.current, shipper);
  await service.current.db
    .insertInto('sponsorships')
    .values({
      subject_id: chargeId((await service.current.context()).ledger, decoded(transaction)),
      purpose: 'fees',
      poster_pubkey: shipper.pubkey,
      signed: true,
      ip: '203.0.113.250',
      lamports: toLamports(FEE),
      is_returned: true,
    })
    .execute();
  const { signature } = await shipper.client.relayTransaction({ transaction });
  expect(await received(service.current, signature, coordinatorOf(service.current))).toBe(-FEE);
  expect(await chargedTo(service.current, shipper)).toEqual([FEE]);
});

test('a key has its budget, whatever address it comes from; replicas count together (M-98)', async () => {
  const shipper = await service.current.party(5);
  const transactions: string[] = [];
  for (let left = 4; left > 0; left -= 1) transactions.push(await cancellation(service.current, shipper));
  const replica = await service.current.replica();
  onTestFinished(() => replica.close());
  const urls = [service.current.server.url, replica.url];
  const answers = await Promise.all(
    transactions.map((transaction, index) =>
      createLegworkClient({
        url: urls[index % 2] ?? '',
        fetch: (input, init) =>
          fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...newAddress() } }),
      })
        .relayTransaction({ transaction })
        .then(
          () => 'paid',
          (error: unknown) => (error as { code: string }).code,
        ),
    ),
  );
  expect(answers.toSorted()).toEqual(['paid', 'paid', 'sponsorship_cap', 'sponsorship_cap']);
  expect(await chargedTo(service.current, shipper)).toEqual([FEE, FEE]);
});

test('an address has its budget, however many keys come from it, and all have one together (M-98)', async () => {
  const [from, parties] = [newAddress(), [] as Party[]];
  for (let left = 6; left > 0; left -= 1) parties.push(await small.current.party(1));
  const transactions = await Promise.all(parties.map((party) => cancellation(small.current, party)));
  const [first, second, third, fourth, fifth, sixth] = transactions as [string, string, string, string, string, string];
  for (const one of [first, second, third]) expect((await relay(small.current, one, from)).status).toBe(200);
  expect(await answerTo(small.current, fourth, from)).toEqual(
    overBudget(/0\.00003 SOL of them for one address in 24 hours/),
  );
  for (const one of [fourth, fifth]) expect((await relay(small.current, one)).status).toBe(200);
  expect(await answerTo(small.current, sixth)).toEqual(overBudget(/0\.00005 SOL of them in all in 24 hours/));
  await small.current.db
    .updateTable('sponsorships')
    .set({ created_at: new Date(Date.now() - 90_000_000) })
    .execute();
  expect((await relay(small.current, sixth)).status).toBe(200);
});

test('a service without such budgets says so, and pays for nobody (M-98)', async () => {
  const shipper = await unwilling.current.party(1);
  const { feePayerPubkey, limits } = await shipper.client.getConfig();
  expect([feePayerPubkey, limits.fees]).toEqual([null, undefined]);
  expect(await answerTo(unwilling.current, await cancellation(unwilling.current, shipper))).toEqual(
    overBudget(/pay from your own wallet/),
  );
});

test('a coordinator that would be left with less than its reserve pays for nobody (M-98)', async () => {
  const shipper = await poor.current.party(1);
  const transaction = await cancellation(poor.current, shipper);
  await untilQuiet(poor.current);
  const answer = await attempt(poor.current, [coordinatorOf(poor.current)], () => relay(poor.current, transaction));
  expect(answer).toEqual(
    refusedWith({ status: 503, code: 'sponsoring_paused', fields: [], says: /its funds are low/ }),
  );
  expect((await shipper.client.getConfig()).feePayerPubkey).toBe(coordinatorOf(poor.current));
});
