import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { balanceOf, type Keyed, keyed, pickedUp, relay } from '../exit/scene.js';
import { at } from '../operations/turns/scene.js';
import { withService } from '../support/service.js';
import { withBrowser } from './browser.js';
import { installWallet } from './wallet.js';

const service = withService();
const chromium = withBrowser();
const FILE = join(import.meta.dirname, '../../../dashboard/dist/exit.html');
const FEE = 5_000n;
const PAYMENT = 121_428_571n;

/** Whom the pages asked. */
const asked = new Set<string>();

/** The page from a disk, for somebody with a key. */
async function opened({ file, signer }: Keyed, by: 'file' | 'wallet'): Promise<Page> {
  const { rpcUrl, keypairs } = service.current.ledger;
  const page = await chromium.current.newPage();
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  if (by === 'wallet') await installWallet(page, [signer]);
  await page.goto(pathToFileURL(FILE).href);
  await page.getByLabel('RPC of the ledger').fill(rpcUrl);
  await page.getByLabel('Address of the program').fill(keypairs.program.signer.address);
  if (by === 'wallet') await page.getByRole('button', { name: /^Connect/ }).click();
  else {
    await page.getByText('Use a key file or a secret key').click();
    await page.getByLabel('Key file').setInputFiles(file);
  }
  await page.getByText(`You act as ${signer.address}`).waitFor();
  await page.getByRole('button', { name: 'Look what is there' }).click();
  await page.getByText('Found: ').waitFor();
  return page;
}

async function done(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.getByRole('button', { name: /^Sign and send/ }).click();
  await page.getByText('Done: ').waitFor();
}

test('(D-110) with nothing but an RPC, courier, receiver and shipper get out by one file, to the lamport', async () => {
  const { current } = service;
  const cast = await relay(current, [['zoo', 'ostkreuz', 0.1]], { terms: { stakeSol: 0.05 } });
  await pickedUp(current, cast);
  const { shipper, receiver, listing } = cast;
  const courier = at(cast.couriers, 0);
  await current.stop();
  const people = [shipper, courier, receiver];
  const before = await Promise.all(people.map((one) => balanceOf(current, one)));

  const first = await opened(courier, 'file');
  await first.getByText(listing).waitFor();
  await first.getByLabel(/^What shows it.*for claim leg 1$/).fill('It stands at the door.');
  await done(first, 'claim leg 1…');
  const second = await opened(receiver, 'wallet');
  await second.getByText(`pays 0.121428571 SOL to ${courier.pubkey} at once`).waitFor();
  await done(second, 'confirm leg 1…');
  const third = await opened(shipper, 'wallet');
  await done(third, 'settle…');
  await done(third, 'close…');
  await third.getByText('This ledger has nothing of this key').waitFor();

  const after = await Promise.all(people.map((one) => balanceOf(current, one)));
  const rents = 890_880n + 272n * 6_960n;
  expect(after.map((now, index) => now - (before[index] ?? 0n))).toEqual([
    500_000_000n - PAYMENT + rents - 2n * FEE,
    PAYMENT + 50_000_000n - FEE,
    -FEE,
  ]);
  expect([...asked].toSorted()).toEqual([new URL(current.ledger.rpcUrl).origin, 'null']);
  await current.restart();
});

test('(D-110) the service gives the same file, which nobody frames, and it is at most 250 KB', async () => {
  const { server } = service.current;
  const answer = await fetch(new URL('/exit.html', server.url));
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  expect(hash(new Uint8Array(await answer.arrayBuffer()))).toBe(hash(await readFile(FILE)));
  expect(answer.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
  expect((await stat(FILE)).size).toBeLessThanOrEqual(250_000);
});

test('(D-110) it says in a sentence what is wrong with a key, a program and an RPC, and shows what others wrote as text', async () => {
  const { current } = service;
  const page = await opened(await keyed(current, 0), 'file');
  await page.getByText('This ledger has nothing of this key').waitFor();
  await page.getByLabel('Or its text, or the secret key').fill('not a key');
  await page.getByText('this is no key file, and no secret key').waitFor();
  await page.getByLabel('Address of the program').fill('<img src=x onerror=alert(1)>');
  await page.getByRole('button', { name: 'Look what is there' }).click();
  await page.getByText('<img is not the address of a program').waitFor();
  await page.getByLabel('Address of the program').fill(current.ledger.keypairs.program.signer.address);
  await page.getByLabel('RPC of the ledger').fill('http://127.0.0.1:1');
  await page.getByRole('button', { name: 'Look what is there' }).click();
  await page.getByText('http://127.0.0.1:1 does not answer').waitFor();
  expect(await page.locator('img').count()).toBe(0);
});
