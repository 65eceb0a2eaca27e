// A relay by phones, played by hand on the pages: what the shipper, the courier and the receiver see at their doors, side by side.
import { compressed } from './webp.mjs';

const PHONE = { viewport: { width: 360, height: 720 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const GAP = 24;

/** @returns {Promise<Buffer>} the picture */
export async function phonesPicture(browser, encoder, url) {
  const [shipper, courier, consignee] = await Promise.all([phone(browser), phone(browser), phone(browser)]);
  const link = await posts(shipper, url);
  await bids(courier, url);
  await press(shipper, 'Hand it over');
  await sign(shipper);
  await shipper.getByText('Do not let the parcel go yet.').waitFor();
  const pictures = [await shot(shipper, shipper.getByRole('img', { name: 'The code' }))];
  await press(courier, "Fetch the shipper's signature");
  await sign(courier);
  const button = courier.getByRole('button', { name: "Scan the receiver's code" });
  pictures.push(await shot(courier, button));
  // The page gives the address that the service says it has.
  await consignee.goto(url + link.slice(new URL(link).origin.length));
  await press(consignee, 'I have it, in good condition');
  await press(consignee, 'Yes, I have it');
  pictures.push(await shot(consignee, consignee.getByRole('img', { name: 'The code' })));
  return besides(browser, encoder, pictures);
}

async function phone(browser) {
  const context = await browser.newContext({ ...PHONE, colorScheme: 'light', locale: 'en-US', timezoneId: 'UTC' });
  return context.newPage();
}

const press = (page, name) => page.getByRole('button', { name, exact: true }).click();
const sign = (page) => page.getByRole('dialog').getByRole('button', { name: 'Sign', exact: true }).click();

/** Makes the wallet of the device, and gets something to spend. */
async function makeWallet(page) {
  await press(page, 'Connect This device');
  for (const name of ['Make one', 'Skip this', 'Skip, I may lose it']) {
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  }
  await press(page, 'Get 1 test SOL');
  await page.getByText('This device holds 1 SOL').waitFor();
}

async function choosePlace(page, field, text) {
  await field.fill(text);
  await page.getByRole('option').first().waitFor();
  await field.press('Enter');
}

/** @returns {Promise<string>} the link for the receiver */
async function posts(page, url) {
  await page.goto(`${url}/post`);
  await makeWallet(page);
  await page.getByLabel('Description').fill('A violin in its case');
  await choosePlace(page, page.getByRole('combobox', { name: 'From' }), 'Charlottenburg, Berlin');
  await choosePlace(page, page.getByRole('combobox', { name: 'To', exact: true }), 'Friedrichshain, Berlin');
  await page.getByRole('textbox', { name: 'Weight' }).fill('2.5');
  await page.getByRole('textbox', { name: 'Volume' }).fill('30');
  await page.getByRole('textbox', { name: 'Budget' }).fill('0.3');
  await page.getByRole('radio', { name: 'Somebody with a phone' }).check();
  await press(page, 'Sign and list it');
  await sign(page);
  await page.getByRole('heading', { level: 1, name: 'A violin in its case' }).waitFor();
  return page.getByText(/\/track\/.+#\w+-/u).innerText();
}

async function bids(page, url) {
  await page.goto(`${url}/courier`);
  await makeWallet(page);
  await page.getByLabel('Name', { exact: true }).fill('Mara');
  await press(page, 'Register');
  await choosePlace(page, page.getByRole('combobox', { name: 'Near' }), 'Charlottenburg, Berlin');
  await press(page, 'Bid on it');
  await press(page, 'Bid');
  await press(page, 'Yes, bid');
  // Her record on the ledger.
  await sign(page);
  await page.getByRole('button', { name: /^Accept, with a stake/u }).click();
  await press(page, 'Yes, sign it');
  await sign(page);
  await page.getByRole('button', { name: "Scan the shipper's code" }).waitFor();
}

/** A picture of the view around a part of a page. */
async function shot(page, part) {
  await part.scrollIntoViewIfNeeded();
  await part.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  return page.screenshot();
}

async function besides(browser, encoder, pictures) {
  const width = PHONE.viewport.width * pictures.length + GAP * (pictures.length + 1);
  const page = await browser.newPage({
    viewport: { width, height: PHONE.viewport.height + 2 * GAP },
    deviceScaleFactor: 1.5,
  });
  const frames = pictures.map((png) => `<img src="data:image/png;base64,${png.toString('base64')}" />`);
  await page.setContent(`<style>
    body { display: flex; gap: ${GAP}px; margin: 0; padding: ${GAP}px; background: #e4eaf2 }
    img { width: ${PHONE.viewport.width}px; border-radius: 28px; box-shadow: 0 8px 30px rgb(20 25 40 / 18%) }
  </style>${frames.join('')}`);
  const { webp } = await compressed(encoder, await page.screenshot());
  await page.close();
  return webp;
}
