import type { Page } from 'playwright-core';
import type { Party } from '../support/service.js';

export const packagesOf = async ({ client, pubkey }: Party) => (await client.listPackages({ shipper: pubkey })).items;
export const from = (page: Page) => page.getByRole('combobox', { name: 'From' });
export const to = (page: Page) => page.getByRole('combobox', { name: 'To', exact: true });

/** Chooses the first place of a name as a keyboard does. */
export async function name(page: Page, field: ReturnType<typeof from>, text: string): Promise<void> {
  await field.fill(text);
  await page.getByRole('option').first().waitFor();
  await field.press('Enter');
}

/** Fills in the form at `/post`. */
export async function fillIn(page: Page, receives = 'Somebody with a phone'): Promise<void> {
  await page.getByLabel('Description').fill('a violin in its case');
  await name(page, from(page), 'Charlottenburg, Berlin');
  await name(page, to(page), 'Friedrichshain, Berlin');
  await page.getByRole('textbox', { name: 'Weight' }).fill('2,5');
  await page.getByRole('textbox', { name: 'Volume' }).fill('30');
  await page.getByRole('textbox', { name: 'Budget' }).fill('0.3');
  await page.getByRole('radio', { name: receives }).check();
}

/** The words behind the `#` of the link that a page shows. */
export async function linkOf(page: Page): Promise<{ readonly link: string; readonly words: string }> {
  const link = await page.getByText(/\/track\/.+#\w+-/u).innerText();
  return { link, words: link.split('#')[1] ?? '' };
}
