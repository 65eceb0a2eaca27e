import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { pagePath, PAGES } from '@legwork/protocol/contract';
import { listPackage } from '@legwork/sdk';
import { expect, inject, onTestFinished, test } from 'vitest';
import { lanAddresses, openCertificate } from '../../src/http/certificate.js';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { ALL_HOLD, checked, press } from './acting.js';
import { withBrowser } from './browser.js';
import { fillIn, getTestSol, sheet, tryDevice } from './devicePage.js';
import { open, visit } from './visit.js';

const folder = mkdtempSync(join(inject('scratch'), 'https-'));
const { pem } = await openCertificate(folder, new Date());
const spki = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
/** It takes this very key for good, as somebody does who has compared the fingerprint, and no other. */
const trusting = withBrowser([
  `--ignore-certificate-errors-spki-list=${createHash('sha256').update(spki).digest('base64')}`,
]);
const wary = withBrowser();
const service = withService({
  settings: (usual) => ({ ...usual, HOST: '0.0.0.0', HTTPS_DIR: folder, SOLANA_CLUSTER: 'embedded' }),
});
const isOnNetwork = lanAddresses().length > 0;

test.skipIf(!isOnNetwork)(
  '[S-230, S-232] a phone on the network has a page that signs, and checks against the ledger',
  async () => {
    const shipper = await service.current.party(2);
    const { id } = await listPackage(shipper.client, shipper.signer, draft({ description: 'For a phone' }));
    const { secure } = service.current.server;
    const one = await visit(trusting.current, { width: 390 });
    onTestFinished(() => one.context.close());
    await open(one, `${secure?.url}${pagePath('package', id)}`);
    expect(await one.page.evaluate('isSecureContext && "subtle" in crypto && "mediaDevices" in navigator')).toBe(true);
    expect(await checked(one.page)).toMatch(ALL_HOLD);
    expect(
      await one.page.evaluate(
        `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => 'ready')`,
      ),
    ).toBe('ready');
    expect([...one.hosts]).toEqual([new URL(secure?.url ?? '').host]);
    expect(one.complaints).toEqual([]);
  },
);

test.skipIf(!isOnNetwork)(
  '[S-232] a stranger with a phone on the network has test SOL and posts a package',
  async () => {
    const { secure } = service.current.server;
    const one = await visit(trusting.current, { width: 360 });
    onTestFinished(() => one.context.close());
    await open(one, `${secure?.url}${PAGES.post}`);
    const shipper = await tryDevice(one.page);
    await getTestSol(one.page);
    await fillIn(one.page);
    await press(one.page, 'Sign and list it');
    await sheet(one.page).getByRole('button', { name: 'Sign', exact: true }).click();
    await one.page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    const { client } = await service.current.party(0);
    expect((await client.listPackages({ shipper })).items).toHaveLength(1);
    expect([...one.hosts]).toEqual([new URL(secure?.url ?? '').host]);
    expect(one.complaints).toEqual([]);
  },
);

test.skipIf(!isOnNetwork)('[S-231] who leaves https:// out is led there', async () => {
  const { secure } = service.current.server;
  const one = await visit(trusting.current, { width: 390 });
  onTestFinished(() => one.context.close());
  await open(one, `${secure?.url.replace('https:', 'http:')}/`);
  expect(one.page.url()).toBe(`${secure?.url}/`);
});

test.skipIf(!isOnNetwork)('[S-230] whom nobody told of the certificate is warned first', async () => {
  const one = await visit(wary.current);
  onTestFinished(() => one.context.close());
  await expect(one.page.goto(service.current.server.secure?.url ?? '')).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID');
});

test.skipIf(!isOnNetwork)(
  '[S-230] who goes on past the warning signs, and keeps nothing for when there is no network',
  async () => {
    const context = await wary.current.newContext({ ignoreHTTPSErrors: true });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(service.current.server.secure?.url ?? '');
    expect(await page.evaluate('isSecureContext && "subtle" in crypto')).toBe(true);
    await expect(page.evaluate("navigator.serviceWorker.register('/worker.js').then(() => 'ready')")).rejects.toThrow(
      'An SSL certificate error occurred',
    );
  },
);

test('[S-231] on this machine the pages work as ever, by plain http', async () => {
  const shipper = await service.current.party(2);
  const { id } = await listPackage(shipper.client, shipper.signer, draft());
  const one = await visit(wary.current);
  onTestFinished(() => one.context.close());
  await open(one, service.current.server.url + pagePath('package', id));
  expect(await checked(one.page)).toMatch(ALL_HOLD);
  const { server, ledger } = service.current;
  expect([...one.hosts].sort()).toEqual([server.url, ledger.rpcUrl].map((url) => new URL(url).host).sort());
  expect(one.complaints).toEqual([]);
});
