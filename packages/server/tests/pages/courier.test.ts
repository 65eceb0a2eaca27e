import { PAGES } from '@legwork/protocol/contract';
import { handoffCode, signHandoff } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { at, listedWithTerms } from '../operations/turns/scene.js';
import { until } from '../support/until.js';
import { withService } from '../support/service.js';
import { connect, press, told, withVisitors } from './acting.js';
import { addressOf, tryDevice } from './devicePage.js';
import { barriers, overhang } from './visit.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);
const PHONE = { width: 360 } as const;

/** A handoff that somebody signed of nothing that there is. */
async function someCode(): Promise<string> {
  const signer = await generateKeyPairSigner();
  const of = { listing: signer.address, legIndex: 0, formation: 1, nonce: new Uint8Array(8).fill(5) };
  return handoffCode(await signHandoff(signer, { ...of, said: 'received' }));
}

test('what is no code of a handoff is told apart, in words, and a camera that is refused is none in the way (D-84)', async () => {
  const { page, complaints } = await visitor([], undefined, PHONE);
  await page.goto(service.current.server.url + PAGES.courier);
  await press(page, 'Scan a code');
  expect(await told(page)).toMatch(/^(This page may not use the camera|This device has no camera)/u);
  await page.getByText('Camera not working?').click();
  const code = await someCode();
  const link = `${service.current.server.url}/track/x#canyon-lemon`;
  for (const [text, says] of [
    ['hello', 'This is a different code'],
    [link, 'This is a delivery link'],
    [code.slice(0, -20), 'This code is incomplete or altered'],
    [code.replace('leg 1', 'leg 2'), 'This code is incomplete or altered'],
  ] as const) {
    await page.getByLabel('The code as text').fill(text);
    await press(page, 'Use this text');
    await page.getByText(says).waitFor();
  }
  await page.getByLabel('A picture of the code').setInputFiles({
    name: 'a.png',
    mimeType: 'image/png',
    // One white square.
    buffer: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
      'base64',
    ),
  });
  await page.getByText('There is no code in this picture').waitFor();
  expect([await barriers(page), await overhang(page), complaints]).toEqual([[], 0, []]);
});

/** Reports whether the browser has kept a page, whose shell comes last. */
const keptOf = (path: string) => `caches.match('${path}', { ignoreVary: true }).then((kept) => kept !== undefined)`;

test('a code that was scanned stays on the phone over a reload until it is sent, and says why the ledger does not take it (D-84)', async () => {
  const somebody = await service.current.party(1);
  const { page, context } = await visitor([somebody], undefined, PHONE);
  await page.goto(service.current.server.url + PAGES.courier);
  await page.getByText('Camera not working?').click();
  await page.getByLabel('The code as text').fill(await someCode());
  await press(page, 'Use this text');
  await page.getByText('Saved. Connect your wallet to send it').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Waiting to be sent' }).waitFor();
  // Nor does it need a network to be shown.
  for (const [path, heading] of [
    [PAGES.turns, 'Your turns'],
    [PAGES.courier, 'Waiting to be sent'],
  ] as const) {
    await page.goto(service.current.server.url + path);
    await expect.poll(() => page.evaluate(keptOf(path))).toBe(true);
    await context.setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: heading }).waitFor();
    await context.setOffline(false);
  }
  await connect(page);
  await press(page, 'Send it now');
  await page.getByRole('heading', { name: 'The ledger refused it' }).waitFor();
  await page
    .getByText(/the ledger has no leg 1 of/u)
    .first()
    .waitFor();
  await press(page, 'Delete it');
  await page.getByText('The signed code is lost').waitFor();
  await press(page, 'Yes, delete it');
  await expect.poll(() => page.getByRole('heading', { name: 'The ledger refused it' }).count()).toBe(0);
});

test('a courier finds a parcel by the name of a place, bids the price of the like, and has it among its legs (D-80, D-86)', async () => {
  const { parcel } = await listedWithTerms(service.current, {}, { description: 'a lamp' });
  const one = await service.current.party(2);
  const look = await visitor([one], undefined, PHONE);
  const page = await goTo(look, PAGES.courier);
  await connect(page);
  await page.getByLabel('Name', { exact: true }).fill('North courier');
  await press(page, 'Register');
  await expect
    .poll(async () => (await one.client.getAgent({ agentPubkey: one.pubkey })).displayName)
    .toBe('North courier');
  await page.getByRole('combobox', { name: 'Near' }).fill('Charlottenburg, Berlin');
  await page
    .getByRole('option', { name: /^Charlottenburg/u })
    .first()
    .click();
  await page.getByRole('heading', { name: 'a lamp' }).waitFor();
  await page.getByText('You stake').waitFor();
  expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
  await press(page, 'Bid on it');
  await press(page, 'Bid');
  await page.getByText(/To accept the leg you stake 0\.\d+ SOL/u).waitFor();
  await press(page, 'Yes, bid');
  await page.getByRole('heading', { name: 'My leg 1: awaiting acceptance' }).waitFor();
  const { swarm } = await until('the package is formed', async () => {
    const now = await one.client.getPackage({ packageId: parcel.id });
    return now.swarm !== null && now;
  });
  expect(at(swarm?.legs ?? [], 0).agentPubkey).toBe(one.pubkey);
});

test('this device is connected again after a reload, unless somebody left it (D-75)', async () => {
  const { page } = await visitor([], undefined, PHONE);
  await page.goto(service.current.server.url + PAGES.courier);
  await tryDevice(page);
  const address = await addressOf(page);
  await page.reload();
  expect(await addressOf(page)).toBe(address);
  await press(page, 'Disconnect This device');
  await page.reload();
  await page.getByRole('button', { name: 'Connect This device' }).waitFor();
  expect(await page.getByRole('button', { name: 'Disconnect This device' }).count()).toBe(0);
});

/** The part of the browser that asks its maker for an address; a machine without the internet has none. */
const SUBSCRIBES = `PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
  globalThis.askedWith = applicationServerKey;
  return { toJSON: () => ({ endpoint: 'https://push.example/' + crypto.randomUUID(), expirationTime: null, keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  } }) };
};`;

const SHOWS = `globalThis.shown = [];
ServiceWorkerRegistration.prototype.showNotification = async (title, { body, data, tag }) => { shown.push([title, body, data, tag]); };`;

test('a phone that wants notices has them shown, and is told what keeps it from them (D-76)', async () => {
  const somebody = await service.current.party(1);
  const { page, context } = await visitor([somebody], undefined, PHONE);
  const { url } = service.current.server;
  await page.addInitScript(SUBSCRIBES);
  await page.goto(url + PAGES.courier);
  await connect(page);
  await press(page, 'Notify me when it is my move');
  await page.getByText('This page may not show notices').waitFor();
  await context.grantPermissions(['notifications'], { origin: url });
  await press(page, 'Notify me when it is my move');
  await page.getByText('Notices are on for this phone').waitFor();
  const { pushPublicKey } = await somebody.client.getConfig();
  expect(await page.evaluate('askedWith')).toBe(pushPublicKey);

  const browser = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    browser.on(
      'ServiceWorker.workerRegistrationUpdated',
      ({ registrations: [one] }) => one && resolve(one.registrationId),
    );
  });
  await browser.send('ServiceWorker.enable');
  const registrationId = await registered;
  const data = JSON.stringify({ title: 'Your move', body: 'A parcel waits for you.', url: 'me', tag: 'abc' });
  // The browser of the tests has no screen for notices.
  const [worker] = context.serviceWorkers();
  await worker?.evaluate(SHOWS);
  await browser.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId, data });
  await expect.poll(() => worker?.evaluate('shown')).toEqual([['Your move', 'A parcel waits for you.', 'me', 'abc']]);
  await press(page, 'Turn notices off');
  await page.getByText('Notices are off').waitFor();
});

/**
 * Presses a notice in the service worker itself. A browser lets a worker wait, open and focus only for a press of its own, which the one of the
 * tests has no screen for: these three say what they were asked for.
 */
const pressed = (data: string) => `(async () => {
  const done = [];
  const waits = [];
  Clients.prototype.openWindow = async (url) => { done.push('opens ' + url); };
  WindowClient.prototype.focus = async function () { done.push('focuses ' + this.url); };
  ExtendableEvent.prototype.waitUntil = (promise) => waits.push(promise);
  const notification = { data: ${JSON.stringify(data)}, close: () => done.push('closes it') };
  self.dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), { notification }));
  await Promise.all(waits);
  return done;
})()`;

test('a press on a notice shows the page that it is about, the open one if there is one, and none of others (D-76)', async () => {
  const { page, context } = await visitor([], undefined, PHONE);
  const { url } = service.current.server;
  await page.goto(url + PAGES.courier);
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  const other = await context.newPage();
  await other.goto(url + PAGES.turns);
  await other.getByRole('heading', { name: 'Your turns' }).waitFor();
  const worker = at(context.serviceWorkers(), 0);
  const press = (data: string) => worker.evaluate(pressed(data));
  expect(await press('courier')).toEqual(['closes it', `focuses ${url}/courier`]);
  expect(await press('me')).toEqual(['closes it', `focuses ${url}/me`]);
  // A window that has gone on to another page does not show the one that it was opened with.
  await other.getByRole('link', { name: 'Packages', exact: true }).click();
  await other.getByRole('heading', { level: 1, name: 'Packages' }).waitFor();
  expect(await press('me')).toEqual(['closes it', `opens ${url}/me`]);
  for (const elsewhere of [
    'https://elsewhere.example/me',
    '//elsewhere.example/me',
    'javascript:alert(1)',
    'data:,x',
  ]) {
    expect(await press(elsewhere)).toEqual(['closes it']);
  }
});
