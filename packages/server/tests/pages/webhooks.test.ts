import { listPackage } from '@legwork/sdk';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { draft } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { Receiver } from '../webhooks/receiver.js';
import { press, withVisitors } from './acting.js';
import { barriers, overhang } from './visit.js';

const service = withService({ settings: (usual) => ({ ...usual, WEBHOOK_TARGETS: 'any' }) });
const { visitor, turnsOf } = withVisitors(service);
let receiver: Receiver;
let owner: Party;

beforeAll(async () => {
  receiver = await Receiver.start();
});
beforeEach(async () => {
  receiver.answer = undefined;
  owner = await service.current.party(2);
});
afterAll(() => receiver.stop());

const hooks = async () => (await owner.client.listWebhooks()).items;
const register = () =>
  owner.client.registerWebhook({ url: receiver.url, secret: receiver.secret, filter: { agent: owner.pubkey } });
const region = (page: Page) => page.getByRole('region', { name: 'Webhooks' });
const field = (page: Page, name: string) => page.getByRole('textbox', { name });

type Look = Parameters<typeof visitor>[2];

/** The section of the owner's webhooks, once its key has signed. */
async function shown(look?: Look) {
  const one = await visitor([owner, await service.current.party(0)], undefined, look);
  const page = await turnsOf(one, owner);
  await press(page, 'Show your webhooks');
  await page.getByRole('heading', { name: 'Add a webhook' }).waitFor();
  return { one, page };
}

describe('webhooks of the connected key', () => {
  test('are added with the secret that the receiver has, tested, given another one, and deleted (D-50, D-51)', async () => {
    const { one, page } = await shown();
    await page.getByText('This key has none.').waitFor();
    expect(await field(page, 'Secret').inputValue()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await field(page, 'Only listings that this key').inputValue()).toBe(owner.pubkey);
    await field(page, 'Address').fill(receiver.url);
    await field(page, 'Secret').fill(receiver.secret);
    await field(page, 'Only packages near').fill('52.52, 13.4');
    await field(page, 'Within kilometres').fill('2,5');
    await field(page, 'Only these event types').fill('LEG_CLAIMED, LEG_RULED');
    await press(page, 'Register it');
    await page.getByText('The webhook is registered. Its secret is not shown again.').waitFor();
    const filter = { agent: owner.pubkey, near: '52.52,13.4', radiusKm: 2.5, topics: 'LEG_CLAIMED,LEG_RULED' };
    expect(await hooks()).toMatchObject([{ url: receiver.url, status: 'active', filter }]);
    expect(await field(page, 'Secret').inputValue()).not.toBe(receiver.secret);
    const words = await region(page).innerText();
    expect(words).toContain(receiver.url);
    expect(words).toMatch(/LEG_CLAIMED, LEG_RULED, of listings that .* and packages within 2\.5 km of 52\.52, 13\.4/);
    expect(words).not.toContain(receiver.secret);

    await press(page, 'Send a test');
    await page.getByText('The receiver took the test, and answered 204.').waitFor();
    receiver.answer = (_, response) => response.writeHead(503).end();
    await press(page, 'Send a test');
    await page.getByText('The test did not arrive: the receiver answers 503.').waitFor();
    await press(page, 'New secret');
    await press(page, 'Yes, sign it');
    await page.getByText('New secret, shown only once').waitFor();
    expect(await page.getByText(/^whsec_/).innerText()).not.toBe(receiver.secret);
    await press(page, 'Delete');
    await region(page)
      .getByRole('alertdialog', { name: 'Delete' })
      .getByRole('button', { name: 'Yes, sign it' })
      .click();
    await page.getByText('The webhook is deleted.').waitFor();
    expect(await hooks()).toEqual([]);
    expect(await page.getByText(/^whsec_/).count()).toBe(0);
    expect(one.complaints).toEqual([]);
  });

  test('that are disabled are told first, since when and why, and go on from an event (D-50, S-186)', async () => {
    const { id, ackedSeq } = await register();
    receiver.answer = (_, response) => response.writeHead(410).end();
    const { id: packageId } = await listPackage(owner.client, owner.signer, draft());
    await expect.poll(async () => (await hooks())[0]?.status).toBe('disabled');
    receiver.answer = undefined;
    const taken = receiver.taken.length;
    const { page } = await shown();
    await page.getByText('1 disabled: nothing is sent there until you deliver again.').waitFor();
    expect(await region(page).innerText()).toMatch(/disabled since .*: the receiver answers 410/);
    await field(page, 'Deliver again').fill('all');
    await press(page, 'Deliver again');
    await page.getByText('Enter an event number from 0, which is before the first event.').waitFor();
    expect((await hooks())[0]?.status).toBe('disabled');
    await field(page, 'Deliver again').fill(`${ackedSeq}`);
    await press(page, 'Deliver again');
    await page.getByText('It is active again.').waitFor();
    await receiver.until(taken + 1);
    expect(receiver.taken.at(-1)).toMatchObject({ type: 'PACKAGE_LISTED', data: { packageId } });
    expect(await hooks()).toMatchObject([{ id, status: 'active' }]);
  });

  test('with faults are not registered, and each is told at its field (D-42, D-51)', async () => {
    const { page } = await shown();
    const faultOf = async (name: string) => {
      const id = await field(page, name).getAttribute('aria-describedby');
      return id === null ? undefined : page.locator(`[id="${id}"]`).innerText();
    };
    await field(page, 'Secret').fill('short');
    await field(page, 'Only this package').fill('17');
    await field(page, 'Within kilometres').fill('1,000');
    await field(page, 'Only these event types').fill('PACKAGE_EATEN');
    expect(await faultOf('Secret')).toBeUndefined();
    await press(page, 'Register it');
    expect(await faultOf('Address')).toBe('Must be the address of the receiver, such as https://agent.example/events.');
    expect(await faultOf('Secret')).toMatch(/^Must be whsec_ and 24 to 64 random bytes/);
    expect(await faultOf('Only this package')).toBe('Must be a UUID.');
    expect(await faultOf('Within kilometres')).toMatch(/^1,000 is ambiguous/);
    expect(await faultOf('Only these event types')).toMatch(/^Must be event types joined by commas: PACKAGE_LISTED, /);
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
    expect(await barriers(page)).toEqual([]);

    // A fault that only the service knows comes to its field as well: this receiver did not ask for it.
    receiver.answer = (_, response) => response.end('{"answer":"no"}');
    await field(page, 'Address').fill(receiver.url);
    await field(page, 'Secret').fill(receiver.secret);
    for (const name of ['Only this package', 'Within kilometres', 'Only these event types'])
      await field(page, name).fill('');
    await press(page, 'Register it');
    await expect.poll(() => faultOf('Address')).toMatch(/challenge|WEBHOOK_CHALLENGE/);
    expect(await hooks()).toEqual([]);
  });

  test.each([
    [360, 'light'],
    [360, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('can be used at %i, %s (D-30)', async (width, theme) => {
    await register();
    await owner.client.registerWebhook({ url: `${receiver.url}/${'a-long-way/'.repeat(20)}`, secret: receiver.secret });
    receiver.answer = (_, response) => response.writeHead(410).end();
    await listPackage(owner.client, owner.signer, draft());
    await expect.poll(async () => (await hooks()).map(({ status }) => status)).toContain('disabled');
    const { one, page } = await shown({ width, theme });
    expect(await overhang(page)).toBe(0);
    expect(await barriers(page)).toEqual([]);
    expect(one.complaints).toEqual([]);
    const folder = process.env['PICTURES'];
    if (folder) await page.screenshot({ path: `${folder}/${width}-${theme}.png`, fullPage: true });
  });
});
