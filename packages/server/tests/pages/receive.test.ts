import { pagePath, PAGES } from '@legwork/protocol/contract';
import { formatSol, type Leg, type PackageDetail } from '@legwork/sdk';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { at } from '../operations/turns/scene.js';
import { untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { connect, press, withVisitors } from './acting.js';
import { formedRelay } from './scene.js';
import { barriers, overhang } from './visit.js';
import { refusesTransactions } from './wallet.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);
const PHONE = { width: 360 } as const;

const CONFIRM = 'Confirm that you have it';

/** The payments of its escrow, by receiver. */
async function paidBy({ client }: Party, { id: packageId }: PackageDetail): Promise<[string | null, bigint][]> {
  const { movements } = await client.getPackageMoney({ packageId });
  return movements.filter(({ what }) => what === 'payment').map(({ to, amount }) => [to, amount]);
}

/** Says yes to what the page asks, which names this sum and this courier. */
async function confirmed(page: Page, { agentPubkey, agreedPayment }: Leg): Promise<void> {
  const pays = `${formatSol(agreedPayment)} SOL`;
  await press(page, CONFIRM);
  const asked = page.getByRole('alertdialog', { name: CONFIRM });
  await asked.getByText(`It pays ${pays} from escrow to ${agentPubkey}`).waitFor();
  await asked.getByText('cannot be undone').waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  await asked.getByRole('button', { name: `Yes, pay ${pays}` }).click();
}

test('a parcel without terms is received with a press by each who receives it, from pickup to the last door (D-17, D-95)', async () => {
  const { shipper, couriers, parcel } = await formedRelay(service.current, 'a plain box');
  const [first, second] = [at(parcel.swarm?.legs ?? [], 0), at(parcel.swarm?.legs ?? [], 1)];
  const next = at(couriers, 1);
  const payment = ({ agentPubkey, agreedPayment }: Leg) => [agentPubkey, agreedPayment];

  // Without a wallet the page of the package says where it is confirmed, and who does nothing there is shown no button.
  const stranger = await visitor([], undefined, PHONE);
  await goTo(stranger, pagePath('package', parcel.id));
  await stranger.page.getByText('The next courier confirms having the parcel').waitFor();
  expect([await barriers(stranger.page), await overhang(stranger.page)]).toEqual([[], 0]);
  const carrier = await visitor([at(couriers, 0)], undefined, PHONE);
  const own = await goTo(carrier, PAGES.courier);
  await connect(own);
  await own.getByText('This parcel has no terms').waitFor();
  expect(await own.getByRole('button', { name: CONFIRM }).count()).toBe(0);

  const taker = await visitor([next], undefined, PHONE);
  const page = await goTo(taker, PAGES.courier);
  await connect(page);
  await confirmed(page, first);
  await page.getByText('Done. It is on the ledger, and the courier of leg 1 is paid.').waitFor();
  expect(await paidBy(next, parcel)).toEqual([payment(first)]);
  expect(await page.getByRole('button', { name: CONFIRM }).count()).toBe(0);

  const receiver = await visitor([shipper], undefined, { ...PHONE, theme: 'dark' });
  const mine = await goTo(receiver, PAGES.turns);
  await connect(mine);
  await mine.getByRole('region', { name: 'My packages' }).getByRole('link', { name: 'a plain box' }).click();
  await mine.getByRole('heading', { level: 1, name: 'a plain box' }).waitFor();
  await confirmed(mine, second);
  await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  await mine.getByText('Delivered', { exact: true }).first().waitFor();
  expect(await paidBy(shipper, parcel)).toEqual([payment(first), payment(second)]);
  expect([...receiver.complaints, ...taker.complaints]).toEqual([]);
});

test('a wallet that refuses, or a service that names another leg, pays nobody for a parcel without terms (D-17, D-95)', async () => {
  const { shipper, couriers, parcel } = await formedRelay(service.current, 'a box to refuse');
  const leg = at(parcel.swarm?.legs ?? [], 0);
  const next = at(couriers, 1);
  const unwilling = await visitor([next], refusesTransactions, PHONE);
  const page = await goTo(unwilling, PAGES.courier);
  await connect(page);
  await confirmed(page, leg);
  await page.getByText('The user said no.').waitFor();

  // The service builds what it likes: the transaction of another package is not signed for this one.
  const other = await formedRelay(service.current, 'another box');
  const otherLeg = at(other.parcel.swarm?.legs ?? [], 0);
  const deceived = await visitor([next], undefined, PHONE);
  await deceived.page.route('**/build-confirm-tx', async (route) => {
    const url = route.request().url().replace(leg.id, otherLeg.id);
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  const second = await goTo(deceived, PAGES.courier);
  await connect(second);
  await confirmed(second, leg);
  await second.getByText(/^Not done|this leg is confirmed by|the transaction confirms the leg at/u).waitFor();
  expect([await paidBy(shipper, parcel), await paidBy(shipper, other.parcel)]).toEqual([[], []]);
});
