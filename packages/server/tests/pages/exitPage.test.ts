import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Lies, lyingRpc } from '../exit/lyingRpc.js';
import { balanceOf, type Keyed, keyed, pickedUp, relay } from '../exit/scene.js';
import { at, move } from '../operations/turns/scene.js';
import { listPackage } from '../support/listed.js';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { withBrowser } from './browser.js';
import { Reader } from './reader.js';
import { barriers, visit } from './visit.js';
import { installWallet, WALLET } from './wallet.js';

const service = withService();
const chromium = withBrowser();
const FILE = join(import.meta.dirname, '../../../dashboard/dist/exit.html');
const FEE = 5_000n;
const PAYMENT = 121_428_571n;

/** The hosts that the pages asked. */
const asked = new Set<string>();

/** The page from a disk, for somebody with a key, who has it look. @param rpcUrl the ledger's, or one that lies */
async function looking({ file, signer }: Keyed, by: 'file' | 'wallet', rpcUrl: string): Promise<Page> {
  const { keypairs } = service.current.ledger;
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
  await look(page);
  return page;
}

const look = (page: Page) => page.getByRole('button', { name: 'Search the ledger' }).click();

async function opened(who: Keyed, by: 'file' | 'wallet'): Promise<Page> {
  const page = await looking(who, by, service.current.ledger.rpcUrl);
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
  await first.getByLabel(/^Your evidence.*for claim leg 1$/).fill('It stands at the door.');
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

test('(D-110) the service gives the same file, which nobody frames, and it is at most 275 KB', async () => {
  const { server } = service.current;
  const answer = await fetch(new URL('/exit.html', server.url));
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  expect(hash(new Uint8Array(await answer.arrayBuffer()))).toBe(hash(await readFile(FILE)));
  expect(answer.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
  expect((await stat(FILE)).size).toBeLessThanOrEqual(275_000);
});

test('(D-110) it says in a sentence what is wrong with a key, a program and an RPC, and shows what others wrote as text', async () => {
  const { current } = service;
  const page = await opened(await keyed(current, 0), 'file');
  await page.getByText('This ledger has nothing of this key').waitFor();
  await page.getByLabel('Or its text, or the secret key').fill('not a key');
  await page.getByText('this is neither a key file nor a secret key').waitFor();
  await page.getByLabel('Address of the program').fill('<img src=x onerror=alert(1)>');
  await page.getByRole('button', { name: 'Search the ledger' }).click();
  await page.getByText('<img is not the address of a program').waitFor();
  await page.getByLabel('Address of the program').fill(current.ledger.keypairs.program.signer.address);
  await page.getByLabel('RPC of the ledger').fill('http://127.0.0.1:1');
  await page.getByRole('button', { name: 'Search the ledger' }).click();
  await page.getByText('http://127.0.0.1:1 does not answer').waitFor();
  expect(await page.locator('img').count()).toBe(0);
});

test('(D-110, D-99) what would pay for a parcel that nobody has picked up is offered last, and asked for apart; in German too', async () => {
  const { current } = service;
  const cast = await relay(current, [['zoo', 'ostkreuz', 0.1]], { terms: { stakeSol: 0.05 } });
  await move(current, { parcel: { id: cast.packageId } as never }, 0, at(cast.couriers, 0), 'accept');
  const page = await opened(cast.receiver, 'wallet');
  await page.getByRole('button', { name: 'confirm leg 1…' }).click();
  await page.getByText('Nobody has picked the parcel up. Tick the box to pay all the same.').waitFor();
  expect(await page.getByRole('button', { name: /^Sign and send/ }).count()).toBe(0);
  expect(await page.getByRole('article').getByRole('button').last().innerText()).toBe('confirm leg 1…');
  expect(await page.getByRole('textbox', { name: /digital task/ }).count()).toBe(0);
  await page.getByLabel('I pay now, although nobody has picked the parcel up').check();
  await page.getByRole('button', { name: 'confirm leg 1…' }).click();
  await page.getByRole('button', { name: 'Do not sign' }).click();

  await page.evaluate("localStorage.setItem('language', 'de')");
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByLabel('RPC des Ledgers').fill(current.ledger.rpcUrl);
  await page.getByLabel('Adresse des Programms').fill(current.ledger.keypairs.program.signer.address);
  await page.getByRole('button', { name: /verbinden/ }).click();
  await page.getByRole('button', { name: 'Ledger durchsuchen' }).click();
  const found = page.getByRole('article');
  await found.getByText(/^Paket .*: unterwegs; Sie sind der Empfänger$/).waitFor();
  const lines = await found.locator('p').allInnerTexts();
  expect(lines.join('\n')).toMatch(/Auf dem Treuhandkonto: [\d,]+ SOL|im Treuhandkonto: [\d,]+ SOL/i);
  expect(lines.filter((line) => /\b(the|leg|pays|until)\b/.test(line))).toEqual([]);
});

/** Somebody who listed a package that nobody took. */
async function lister(): Promise<Keyed> {
  const shipper = await keyed(service.current);
  await listPackage(shipper.client, shipper.signer, { ...draft(), terms: 'plain' });
  return shipper;
}

test('(D-110, D-96) by keyboard alone, told by a screen reader, a shipper cancels and closes; the focus is seen, in order and never lost', async () => {
  const { current } = service;
  const { rpcUrl, keypairs } = current.ledger;
  const shipper = await lister();
  const before = await balanceOf(current, shipper);
  const one = await visit(chromium.current, { width: 390 });
  const reader = await Reader.of(one);
  await installWallet(one.page, [shipper.signer]);
  await one.page.goto(pathToFileURL(FILE).href);
  await reader.type('RPC of the ledger', rpcUrl);
  await reader.type('Address of the program', keypairs.program.signer.address);
  await reader.press(`Connect ${WALLET}`);
  await reader.hears(`You act as ${shipper.pubkey}`);
  await reader.press('Search the ledger');
  await reader.hears('Found: 1 packages');
  await reader.outlined('what was found');
  await reader.press('cancel…');
  await reader.hears(/You sign: .*Fees and rents/u);
  await reader.press('Do not sign');
  expect((await reader.here()).name).toBe('cancel…');
  await reader.press('cancel…', 'Space');
  await reader.press('Sign and send');
  await reader.hears('Done: ');
  await reader.press('close…');
  await reader.press('Sign and send');
  await reader.hears('Done: ');
  await one.page.getByText('This ledger has nothing of this key').waitFor();
  await reader.kept('at the end');
  expect(reader.faults).toEqual([]);
  expect(await barriers(one.page)).toEqual([]);
  expect(await balanceOf(current, shipper)).toBeGreaterThan(before + 500_000_000n);
  await one.context.close();
});

/** Values that no ledger answers to any question. */
const FORMLESS: readonly unknown[] = [
  null,
  5,
  'x',
  {},
  { value: null },
  { value: 'x' },
  { value: [{}] },
  [{ pubkey: 1 }],
  [{ pubkey: '1'.repeat(32), account: {} }],
  { value: [{ data: ['!!', 'base64'], owner: 'x', lamports: 'many', executable: 0 }] },
];
/** The call that prepares comes first: once a look has failed, the page has nothing to prepare. */
const ASKED = ['getLatestBlockhash', 'getGenesisHash', 'getMultipleAccounts', 'getProgramAccounts'] as const;

test('(D-110, A-161) an RPC that answers in a wrong form, with 100 MB or without an end is told so in a sentence, and nothing is signed', async () => {
  const shipper = await lister();
  let instead: NonNullable<Lies['instead']> = () => false;
  const methods = new Set<string>();
  const node = await lyingRpc(service.current.ledger.rpcUrl, {
    instead: (method, answer) => {
      methods.add(method);
      return instead(method, answer);
    },
  });
  const page = await looking(shipper, 'file', node.url);
  await page.getByText('Found: 1 packages').waitFor();
  /** The message once the page has looked, or has prepared what it would sign. */
  const told = async (name = 'Search the ledger', below = '#status') => {
    await page.getByRole('button', { name }).click();
    return page.locator(`${below} .wrong`).innerText();
  };
  for (const wanted of ASKED) {
    for (const result of FORMLESS) {
      instead = (method, answer) =>
        method === wanted && Boolean(answer.end(JSON.stringify({ jsonrpc: '2.0', id: '1', result })));
      const said = await (wanted === 'getLatestBlockhash' ? told('cancel…', '#found') : told());
      expect({ wanted, result, said }).toEqual({
        wanted,
        result,
        said: `${node.url} answers ${wanted} in another form than the RPC of a ledger does: use another one`,
      });
    }
  }
  const part = Buffer.alloc(1 << 20, 0x20);
  let sent = 0;
  instead = (_, answer) => {
    const more = (): void => {
      sent += 1;
      if (sent > 100) answer.end();
      else answer.write(part, (error) => !error && more());
    };
    more();
    return true;
  };
  expect(await told()).toMatch(/answers without an end: more than 33554432 bytes are not read$/);
  expect(sent).toBeLessThanOrEqual(100);
  // Shortens the page's timeouts, so that the test is short.
  await page.evaluate(
    '{ const late = AbortSignal.timeout; AbortSignal.timeout = (ms) => late.call(AbortSignal, ms / 40); }',
  );
  instead = (_, answer) => answer.writeHead(200).write('{"jsonrpc":');
  expect(await told()).toMatch(/does not end its answer within 20 seconds$/);
  instead = () => true;
  expect(await told()).toMatch(/does not answer: give the RPC address of a ledger$/);
  expect(methods).not.toContain('sendTransaction');
  node.close();
});
