import { PAGES } from '@legwork/protocol/contract';
import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { ALL_HOLD, connect, press, told, withVisitors } from './acting.js';
import { consoleAddress, openedBefore } from './ops.js';
import { Reader } from './reader.js';
import { barriers, overhang } from './visit.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);

describe('the console of a service that lets anybody read it', () => {
  const open = withService({ settings: (usual) => ({ ...usual, OPERATIONS_PUBLIC: 'on' }) });
  const { visitor: anybody, goTo: visits } = withVisitors(open);

  test('shows how it stands, and the way in for who may act (S-263)', async () => {
    const one = await anybody([]);
    const page = await visits(one, PAGES.ops);
    await page.getByText('Nothing needs attention.').waitFor();
    await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
    expect(await page.getByRole('region', { name: 'Acts' }).count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    expect(one.complaints).toEqual([]);
  });
});

describe('the console of operators', () => {
  test('opens with one signature of a wallet, by a key that cannot be shown, and is left (S-262)', async () => {
    const one = await visitor([await service.current.operator()]);
    const page = await goTo(one, PAGES.ops);
    await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
    await connect(page);
    await press(page, 'Open for an hour');
    await page.getByText(/^Open until/).waitFor();
    await page.getByText('Nothing needs attention.').waitFor();
    await page.getByRole('region', { name: 'Ledger' }).getByText('Works').waitFor();
    await press(page, 'Leave');
    await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
    expect(one.complaints).toEqual([]);
  });

  test('opens by the address that the command prints, which is cleared at once; another load stays in (S-262)', async () => {
    const one = await visitor([]);
    await one.page.goto(await consoleAddress(service.current));
    await one.page.getByText(/^Open until/).waitFor();
    expect(new URL(one.page.url()).hash).toBe('');
    await one.page.reload();
    await one.page.getByText(/^Open until/).waitFor();
    expect(one.complaints).toEqual([]);
  });

  test('refuses the key of a stranger in words (S-260, S-262)', async () => {
    const one = await visitor([await service.current.party(0)]);
    const page = await goTo(one, PAGES.ops);
    await connect(page);
    await press(page, 'Open for an hour');
    expect(await told(page)).toContain('is neither among OPERATORS of this service nor the authority of its program');
    expect(await page.getByText('Needs attention').count()).toBe(0);
  });

  test('opens with a wallet that signs no messages, and the browser checks that signature as well (S-174, S-262)', async () => {
    const one = await visitor([await service.current.operator()], undefined, { isSilent: true });
    const page = await goTo(one, PAGES.ops);
    await connect(page);
    await press(page, 'Open for an hour');
    const acts = page.getByRole('region', { name: 'Acts' });
    await acts.getByRole('button', { name: 'Check all signatures' }).click();
    expect((await acts.getByText(/\d+ of \d+ (hold|differ)/).innerText()).trim()).toMatch(ALL_HOLD);
  });

  test('shows the last audit, each act with a signature that the browser checks, and a row that nobody signed as such (S-260, S-261)', async () => {
    const one = await visitor([]);
    const { page } = one;
    await (await service.current.operator()).client.actAsOperator({ act: 'audit', differences: 0 });
    await page.goto(await consoleAddress(service.current));
    await page.getByText('no differences').waitFor();
    const acts = page.getByRole('region', { name: 'Acts' });
    const checked = async () => {
      await acts.getByRole('button', { name: 'Check all signatures' }).click();
      return (await acts.getByText(/\d+ of \d+ (hold|differ)/).innerText()).trim();
    };
    expect(await checked()).toMatch(ALL_HOLD);
    const { pubkey } = await service.current.operator();
    await openedBefore(service.current, pubkey, pubkey, 1);
    await page.reload();
    expect(await checked()).toMatch(/^1 of \d+ differ$/);
    await acts.getByText('The signature is not of this text by this key.').waitFor();
    expect(one.complaints).toEqual([]);
  });

  test('says that a key acts no longer, once its hour is over (S-262)', async () => {
    const secret = new Uint8Array(32).fill(7);
    const { address: key } = await createKeyPairSignerFromPrivateKeyBytes(secret);
    await openedBefore(service.current, (await service.current.operator()).pubkey, key, 61);
    const { page } = await visitor([]);
    await page.goto(`${service.current.server.url}${PAGES.ops}#${getBase58Decoder().decode(secret)}`);
    expect(await told(page)).toMatch(/^This key is not open, or no longer.*within the hour/);
    await press(page, 'Leave');
    await page.getByText('This key is not open, or no longer').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
  });

  test('has the wallet of the authority pause the program, and end the pause (P-60)', async () => {
    const one = await visitor([await service.current.operator()]);
    const page = await goTo(one, PAGES.ops);
    await connect(page);
    await press(page, 'Open for an hour');
    const panel = page.getByRole('region', { name: 'Pause the program' });
    await panel.getByText('Taking new listings', { exact: true }).waitFor();
    await press(page, 'Pause the program');
    expect(await page.getByRole('alertdialog').innerText()).toContain('It costs the fee of one signature');
    await press(page, 'Yes, sign it');
    await panel.getByText('Paused', { exact: true }).waitFor();
    await press(page, 'End the pause');
    await press(page, 'Yes, sign it');
    await panel.getByText('Taking new listings', { exact: true }).waitFor();
  });

  test('is read and left by a keyboard alone (D-96)', async () => {
    const one = await visitor([]);
    const reader = await Reader.of(one);
    await one.page.goto(await consoleAddress(service.current));
    await one.page.getByText(/^Open until/).waitFor();
    await reader.outlined('the console');
    await reader.press('Check all signatures');
    await reader.hears(/hold/);
    await reader.press('Leave');
    await one.page.getByRole('heading', { level: 2, name: 'Sign in' }).waitFor();
    await reader.outlined('the way in');
    expect(reader.faults).toEqual([]);
  });

  test.each([
    [360, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('can be used at %i, %s (D-30)', async (width, theme) => {
    const one = await visitor([], undefined, { width, theme });
    const { page } = one;
    await page.goto(await consoleAddress(service.current));
    await page.getByText(/^Open until/).waitFor();
    await page.getByRole('region', { name: 'Acts' }).getByRole('row').nth(1).waitFor();
    const folder = process.env['PICTURES'];
    if (folder) await page.screenshot({ path: `${folder}/ops-${width}-${theme}.png`, fullPage: true });
    expect(await overhang(page)).toBe(0);
    expect(await barriers(page)).toEqual([]);
    expect(one.complaints).toEqual([]);
  });
});
