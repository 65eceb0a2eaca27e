import { PAGES } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { connect, press, told, withVisitors } from './acting.js';
import { barriers, overhang } from './visit.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);

describe('what a page cannot show or do is told for people', () => {
  test('a service that wants to be left alone is said to, with for how long, and asked again by itself (D-41)', async () => {
    const one = await visitor([]);
    let refusals = 0;
    await one.page.route(/\/packages(\?|$)/, async (route) => {
      if (refusals > 0) return route.continue();
      refusals += 1;
      const body = JSON.stringify({ code: 'rate_limited', detail: 'Too many requests.', status: 429 });
      const headers = { 'retry-after': '3', 'content-type': 'application/problem+json' };
      await route.fulfill({ status: 429, headers, body });
    });
    await one.page.goto(service.current.server.url + PAGES.packages);
    await one.page.getByText(/^Too many requests\. Try again in \d s/).waitFor();
    expect(await one.page.locator('[aria-busy=true]').count()).toBe(0);
    await one.page
      .getByText(/No package|Nothing/)
      .first()
      .waitFor();
    expect(refusals).toBe(1);
  });

  test('a device that went offline is said to be, in place of what the browser calls it (D-41)', async () => {
    const party = await service.current.party(1);
    const one = await visitor([party]);
    const page = await goTo(one, PAGES.post);
    await connect(page);
    await page.getByLabel('Description').fill('a violin');
    await page.getByRole('combobox', { name: 'From' }).fill('52.5074, 13.3326');
    await page.getByRole('combobox', { name: 'To' }).fill('52.5031, 13.4694');
    await page.getByRole('textbox', { name: 'Weight' }).fill('2.5');
    await page.getByRole('textbox', { name: 'Volume' }).fill('30');
    await page.getByRole('textbox', { name: 'Budget' }).fill('0.3');
    await one.context.setOffline(true);
    await press(page, 'Sign and list it');
    expect(await told(page)).toMatch(/^This device is offline/);
    await page.getByRole('link', { name: 'Packages' }).first().click();
    await page.getByRole('alert').filter({ hasText: 'This device is offline' }).waitFor();
    expect(await page.getByText(/fetch/i).count()).toBe(0);
  });

  test('a form names every fault at its field and goes to the first; a decimal comma is read (D-42)', async () => {
    const page = await goTo(await visitor([await service.current.party(1)], undefined, { width: 360 }), PAGES.post);
    await connect(page);
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Weight' }).fill('1,000');
    await page.getByRole('textbox', { name: 'Budget' }).fill('0,3');
    await press(page, 'Sign and list it');
    const field = (name: string) =>
      page.getByRole(name === 'From' || name === 'To' ? 'combobox' : 'textbox', { name, exact: name === 'To' });
    for (const [name, words] of [
      ['Description', 'Enter a description.'],
      ['From', 'Enter a place, or set a pin on the map.'],
      ['To', 'Enter a place, or set a pin on the map.'],
      ['Weight', '1,000 is ambiguous: write 1000, or 1.000 with a point.'],
      ['Volume', 'Enter the volume in litres.'],
    ] as const) {
      const id = await field(name).getAttribute('aria-describedby');
      expect([name, await page.locator(`[id="${id}"]`).innerText()]).toEqual([name, words]);
    }
    expect(await page.locator('[aria-invalid=true]').count()).toBe(5);
    expect(await page.evaluate('document.activeElement.id')).toBe(await field('Description').getAttribute('id'));
    expect(
      await page
        .getByRole('status')
        .filter({ hasText: /Enter|number/ })
        .count(),
    ).toBe(0);
    expect(await barriers(page)).toEqual([]);
    expect(await overhang(page)).toBe(0);
    await field('Description').fill('a violin');
    await field('From').fill('52.5074, 13.3326');
    await field('To').fill('52.5031, 13.4694');
    await field('Weight').fill('2,5');
    await field('Volume').fill('30');
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
    await page.getByText('You lock', { exact: true }).locator('..').getByText('0.3', { exact: false }).waitFor();
  });

  test('an address that leads nowhere has a page that leads on (D-1, D-30)', async () => {
    const one = await visitor([]);
    const page = await goTo(one, '/p/x/nowhere');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await page.waitForURL(`${service.current.server.url}/`);
    await page.getByRole('heading', { level: 1, name: 'Parcels and tasks, relayed leg by leg' }).waitFor();
    expect(one.complaints).toEqual([expect.stringContaining('404')]);
  });
});
