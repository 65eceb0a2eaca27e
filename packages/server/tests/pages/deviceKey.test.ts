import { PAGES } from '@legwork/protocol/contract';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { press, told, withVisitors } from './acting.js';
import { addressOf, connectDevice, sheet, tryDevice, typeBack, wordsOf } from './devicePage.js';
import { open, type Visit } from './visit.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);
const choose = (page: Page, name: string) => sheet(page).getByRole('button', { name, exact: true }).click();
const aPhone = () => visitor([], undefined, { width: 360 });

/** Another tab of the same browser. */
async function anotherTab({ context, ...rest }: Visit): Promise<Page> {
  const page = await context.newPage();
  await open({ ...rest, context, page }, service.current.server.url + PAGES.post);
  return page;
}

/** Makes the wallet and writes its words down. */
async function made(page: Page) {
  await connectDevice(page);
  await choose(page, 'Make one');
  const words = await wordsOf(page);
  await choose(page, 'I wrote them down');
  await typeBack(page, words);
  return { words, address: await addressOf(page) };
}

/** All that the browser keeps of these pages, and whether scripts can read the key. */
const KEPT = `(async () => {
  const read = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
  const databases = await indexedDB.databases();
  const found = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie];
  for (const { name } of databases) {
    const database = await read(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      for (const value of await read(database.transaction(store).objectStore(store).getAll())) {
        found.push(JSON.stringify(value));
        const { privateKey } = value;
        for (const form of ['pkcs8', 'jwk', 'raw']) {
          found.push(await crypto.subtle.exportKey(form, privateKey).then(() => 'readable', () => 'unreadable'));
        }
      }
    }
  }
  return found.join('\\n');
})()`;

describe('the key of the device', () => {
  test('is the same after a reload and in another tab, cannot be read, and its words are nowhere (D-70)', async () => {
    const one = await aPhone();
    const page = await goTo(one, PAGES.post);
    const { words, address } = await made(page);
    await page.reload();
    expect(await addressOf(page)).toBe(address);
    const tab = await anotherTab(one);
    expect(await addressOf(tab)).toBe(address);
    const kept = await page.evaluate<string>(KEPT);
    expect(kept).toContain(address);
    expect(kept.match(/unreadable/g)).toHaveLength(3);
    expect(kept).not.toMatch(/^readable/m);
    // One word alone may be a name of the store: "device" is one of the 2,048.
    const secret = words.slice(1).map((word, index) => new RegExp(`\\b${words[index]}\\W+${word}\\b`));
    for (const pair of secret) expect(kept).not.toMatch(pair);
  });

  test('is forgotten when that is wanted twice, and comes back by its words, which are told where they are wrong (D-74)', async () => {
    const page = await goTo(await aPhone(), PAGES.post);
    const { words, address } = await made(page);
    await press(page, 'Forget the key');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('No, not now');
    await press(page, 'Forget it');
    await connectDevice(page);
    await choose(page, 'I have its words');
    await sheet(page).getByRole('textbox').fill(words.with(3, 'xylophon').join(' '));
    await choose(page, 'Restore');
    await sheet(page).getByText('Word 4 is not one of the 2,048').waitFor();
    await sheet(page).getByRole('textbox').fill(words.slice(1).join(' '));
    await choose(page, 'Restore');
    await sheet(page).getByText('this one has 11').waitFor();
    await sheet(page)
      .getByRole('textbox')
      .fill(` ${words.join('\n').toUpperCase()} `);
    await choose(page, 'Restore');
    expect(await addressOf(page)).toBe(address);
  });

  test('is made in one tab at a time (D-73)', async () => {
    const one = await aPhone();
    const page = await goTo(one, PAGES.post);
    await connectDevice(page);
    await choose(page, 'Make one');
    await wordsOf(page);
    const tab = await anotherTab(one);
    await connectDevice(tab);
    expect(await told(tab)).toMatch(/^Another tab of this site is making the wallet/);
    await choose(page, 'Skip this');
    await choose(page, 'Skip, I may lose it');
    await connectDevice(tab);
    expect(await addressOf(tab)).toBe(await addressOf(page));
  });

  test('that the browser has deleted meanwhile is said to be gone, and nobody is connected any more (D-73)', async () => {
    const page = await goTo(await aPhone(), PAGES.turns);
    await tryDevice(page);
    await page.evaluate(`new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase('legwork-device');
      request.onsuccess = resolve;
      request.onerror = reject;
    })`);
    await press(page, 'Show your webhooks');
    await sheet(page).getByRole('heading', { name: 'The key is no longer here' }).waitFor();
    await choose(page, 'Close');
    await expect.poll(() => page.getByRole('button', { name: 'Connect This device' }).count()).toBe(1);
    expect(await sheet(page).count()).toBe(0);
  });
});

describe('a browser that cannot have a key says so, and what to do (D-73)', () => {
  const broken = (name: string) => `{ throw new DOMException('simulated', '${name}'); }`;
  test.each([
    [
      'without Ed25519',
      `crypto.subtle.importKey = async () => ${broken('NotSupportedError')}`,
      /cannot make keys of this kind.*Update it/,
    ],
    [
      'without a database',
      'delete globalThis.indexedDB; delete Window.prototype.indexedDB',
      /stores nothing for this page.*normal window/,
    ],
    [
      'whose database may not be opened',
      `IDBFactory.prototype.open = () => ${broken('SecurityError')}`,
      /stores nothing for this page/,
    ],
    [
      'that keeps no keys',
      `IDBObjectStore.prototype.put = () => ${broken('DataCloneError')}`,
      /stores nothing for this page/,
    ],
    [
      'without room',
      `IDBObjectStore.prototype.put = () => ${broken('QuotaExceededError')}`,
      /no space left.*no key was made/,
    ],
  ])('%s', async (_, fault, words) => {
    const one = await aPhone();
    await one.page.addInitScript({ content: fault });
    const page = await goTo(one, PAGES.post);
    await connectDevice(page);
    const choice = sheet(page).getByRole('button', { name: 'Make one' });
    const alert = page.getByRole('alert').filter({ hasText: /./ });
    await choice.or(alert).first().waitFor();
    if (await choice.isVisible()) await choice.click();
    expect(await told(page)).toMatch(words);
    expect(await page.getByRole('heading', { name: 'Write these 12 words down' }).count()).toBe(0);
  });

  test('over plain http no wallet is offered, and the page says where to go', async () => {
    const one = await aPhone();
    await open(one, service.current.server.url.replace('127.0.0.1', 'relay.example') + PAGES.post);
    await one.page.getByText('This page came over plain http').waitFor();
    expect(await one.page.getByRole('button', { name: 'Connect This device' }).count()).toBe(0);
  });
});

describe('where no test SOL comes', () => {
  test.each([
    [
      'the faucet refuses',
      { error: { code: -32003, message: 'airdrop limit reached.' } },
      /gives nothing now\. Try again later/,
    ],
    ['the node is in trouble', { error: { code: -32603, message: 'broken' } }, /^The ledger did not answer/],
  ])('%s: it is told in words (D-74)', async (_, answer, words) => {
    const page = await goTo(await aPhone(), PAGES.post);
    await tryDevice(page);
    await page.route('**', async (route) => {
      const asked = route.request().postData() ?? '';
      if (!asked.includes('requestAirdrop')) return route.fallback();
      const { id } = JSON.parse(asked) as { id: string };
      const headers = { 'access-control-allow-origin': '*' };
      return route.fulfill({ headers, json: { jsonrpc: '2.0', id, ...answer } });
    });
    await press(page, 'Get 1 test SOL');
    expect(await told(page)).toMatch(words);
  });

  test('the ledger is away: that is told, beside what could not be read (D-74)', async () => {
    const page = await goTo(await aPhone(), PAGES.post);
    await page.route(new RegExp(`^${service.current.ledger.rpcUrl}`), (route) => route.abort());
    await tryDevice(page);
    await page.getByText(/^Your browser cannot reach/).waitFor();
    await press(page, 'Get 1 test SOL');
    expect(await told(page)).toMatch(/^Your browser cannot reach/);
  });
});
