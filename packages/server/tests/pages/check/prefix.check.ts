import { pagePath } from '@legwork/protocol/contract';
import type { PackageDetail } from '@legwork/sdk';
import { listPackage } from '@legwork/sdk';
import { beforeAll, expect, test } from 'vitest';
import { draft } from '../../support/market.js';
import { withService } from '../../support/service.js';
import { withBrowser } from '../browser.js';
import { delivered, formedRelay } from '../scene.js';
import { open, settled, visit } from '../visit.js';
import { Front } from '../front.js';

const browser = withBrowser();
const service = withService({ settings: (usual) => ({ ...usual, PUBLIC_URL: 'https://relay.example/market' }) });
let parcel: PackageDetail;

beforeAll(async () => {
  parcel = await delivered(service.current, await formedRelay(service.current, 'a box of books'));
});

test.each([
  ['passes the prefix on', false],
  ['strips the prefix', true],
])('(D-2) behind a proxy that %s, pages load, follow events, check, and lead to each other', async (_, strips) => {
  const { current } = service;
  const front = await Front.start(() => current.server.url, { prefix: '/market', strips });
  const visitor = await visit(browser.current);
  const { page, complaints, hosts } = visitor;
  const elsewhere: string[] = [];
  const { host } = new URL(front.url);
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.host === host && !url.pathname.startsWith('/market/')) elsewhere.push(url.pathname);
  });
  await open(visitor, `${front.url}/`);
  const shipper = await current.party();
  await listPackage(shipper.client, shipper.signer, draft({ description: 'told under a prefix' }));
  await page.getByRole('log').getByText('told under a prefix').waitFor();
  expect([...hosts]).toEqual([host]);
  await open(visitor, front.url + pagePath('package', parcel.id));
  await page.getByRole('button', { name: 'Check all on the ledger' }).click();
  await page.getByText('8 of 8 hold').waitFor();
  await page.getByRole('link', { name: 'Developers' }).click();
  await page.waitForURL(`${front.url}/developers`);
  await page.reload();
  await settled(page);
  expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  await visitor.context.close();
  await front.close();
});
