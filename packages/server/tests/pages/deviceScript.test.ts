import { handoffText } from '@legwork/program-client';
import { PAGES } from '@legwork/protocol/contract';
import { readHandoff } from '@legwork/sdk';
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { bidInput, untilPackage } from '../support/market.js';
import { withService } from '../support/service.js';
import { theFirst } from '../support/theFirst.js';
import { press, withVisitors } from './acting.js';
import { answersOf, askAsScript, fillIn, findAsScript, getTestSol, sheet, tryDevice } from './devicePage.js';
import { barriers } from './visit.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);
const SYSTEM = address('11111111111111111111111111111111');
const bytes = (text: string) => new TextEncoder().encode(text);
const host = () => new URL(service.current.server.url).host;

/** A page whose wallet is the device, which another script of the page has found. */
async function found(sol = true): Promise<{ page: Page; own: Address }> {
  const page = await goTo(await visitor([], undefined, { width: 360 }), PAGES.post);
  const own = address(await tryDevice(page));
  if (sol) await getTestSol(page);
  await findAsScript(page);
  return { page, own };
}

/** A transaction of one instruction, paid by this key. */
async function wireOf(own: Address, instruction: Instruction): Promise<Uint8Array> {
  const { value } = await service.current.rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(own, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(value, paid),
    (living) => appendTransactionMessageInstructions([instruction], living),
  );
  return Uint8Array.from(getTransactionEncoder().encode(compileTransaction(message)));
}

function transfer(from: Address, to: Address, lamports: bigint): Instruction {
  const data = new Uint8Array(12);
  data[0] = 2;
  new DataView(data.buffer).setBigUint64(4, lamports, true);
  const accounts = [
    { address: from, role: AccountRole.WRITABLE_SIGNER },
    { address: to, role: AccountRole.WRITABLE },
  ];
  return { programAddress: SYSTEM, accounts, data };
}

const focused = (page: Page) => page.evaluate('document.activeElement.textContent');
const pressAsScript = (page: Page, label: string) =>
  page.evaluate(
    `[...document.querySelectorAll('dialog[open] button')].find((one) => one.textContent === '${label}').click()`,
  );

describe('another script of the page that asks the device', () => {
  test('for a transfer: the sheet says who gets what, no script can press it, and one at a time is asked (D-71)', async () => {
    const { page, own } = await found();
    const { address: thief } = await generateKeyPairSigner();
    const wire = await wireOf(own, transfer(own, thief, 400_000_000n));
    await askAsScript(page, { transaction: wire });
    await askAsScript(page, { transaction: wire });
    await sheet(page).getByText(`Transfer 0.4 SOL, from ${own} to ${thief}`).waitFor();
    const changes = sheet(page).getByRole('list', { name: 'What changes hands' });
    await expect.poll(() => changes.innerText()).toMatch(/This device\s+−0\.400005 SOL\s+account \S+\s+\+0\.4 SOL/);
    expect(await barriers(page)).toEqual([]);
    await pressAsScript(page, 'Sign');
    expect(await sheet(page).count()).toBe(1);
    expect(await answersOf(page)).toEqual([]);
    await sheet(page).getByRole('button', { name: 'Refuse' }).click();
    await expect.poll(() => answersOf(page)).toEqual(['You refused to sign it. Nothing was sent.']);
    await sheet(page).getByRole('button', { name: 'Sign', exact: true }).click();
    await expect.poll(() => answersOf(page)).toEqual([expect.any(String), 'signed']);
  });

  test('for an unknown program: it is said to be one, and refusing has the focus (D-71)', async () => {
    const { page, own } = await found();
    const { address: programAddress } = await generateKeyPairSigner();
    const accounts = [{ address: own, role: AccountRole.WRITABLE_SIGNER }];
    await askAsScript(page, { transaction: await wireOf(own, { programAddress, accounts }) });
    await sheet(page).getByText(`It calls an unknown program: ${programAddress}`).waitFor();
    await expect.poll(() => focused(page)).toBe('Refuse');
    expect(await barriers(page)).toEqual([]);
    await pressAsScript(page, 'Sign it anyway');
    await page.keyboard.press('Enter');
    await expect.poll(() => answersOf(page)).toEqual(['You refused to sign it. Nothing was sent.']);
  });

  test('for bytes that are no transaction, or another key’s: nothing is signed (D-71)', async () => {
    const { page } = await found(false);
    await askAsScript(page, { transaction: Uint8Array.of(1, 2, 3) });
    await sheet(page).getByText('This device cannot read it.').waitFor();
    await sheet(page).getByRole('button', { name: 'Sign it anyway' }).click();
    await expect.poll(() => answersOf(page)).toHaveLength(1);
    const { address: other } = await generateKeyPairSigner();
    await askAsScript(page, { transaction: await wireOf(other, transfer(other, other, 1n)) });
    await sheet(page).getByRole('button', { name: 'Sign it anyway' }).click();
    await expect.poll(() => answersOf(page)).toHaveLength(2);
    expect(await answersOf(page)).not.toContain('signed');
  });

  test('for texts: those of calls to this service are signed at once, all others are shown, none are transactions (D-72)', async () => {
    const { page, own } = await found(false);
    const call = (at: string) => ['svc-auth-v1', 'GET', at, '/x', '1790000000000-abcdefgh', '0'.repeat(64)].join('\n');
    await askAsScript(page, { message: bytes(call(host())) });
    await expect.poll(() => answersOf(page)).toEqual(['signed']);
    await askAsScript(page, { message: bytes(call('evil.example')) });
    await sheet(page).getByText(`It acts in your name at evil.example, but this page belongs to ${host()}.`).waitFor();
    await expect.poll(() => focused(page)).toBe('Refuse');
    await page.keyboard.press('Enter');
    await askAsScript(page, { message: bytes('I owe you \u202eLOS 1') });
    await sheet(page).getByText('I owe you ‹202e›LOS 1').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => answersOf(page)).toHaveLength(3);
    const wire = await wireOf(own, transfer(own, own, 1n));
    await askAsScript(page, { message: wire.subarray(65) });
    await expect.poll(() => answersOf(page)).toHaveLength(4);
    expect((await answersOf(page)).at(-1)).toMatch(/^This is not text/);
  });

  test('for a handoff: it reads whom that pays, or that the ledger does not take it (D-72)', async () => {
    const { page, own } = await found();
    await fillIn(page);
    await press(page, 'Sign and list it');
    await sheet(page).getByRole('button', { name: 'Sign', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
    const courier = await service.current.party(1);
    const { id } = theFirst((await courier.client.listPackages({ shipper: own })).items);
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.2));
    await untilPackage(service.current, id, ({ status }) => status === 'in_transit');
    const meant = { packageId: id, legIndex: 0, evenBeforePickup: true };
    const ahead = await readHandoff(courier.client, own, meant, { rpc: service.current.rpc });
    if (ahead.said === 'accepted') throw new Error('it is a parcel');
    const text = (formation: number) => handoffText({ ...ahead, formation, noted: undefined, signedAt: new Date() });
    await askAsScript(page, { message: bytes(text(ahead.formation)) });
    await sheet(page).getByText('You have received the parcel at the end of leg 1, as described.').waitFor();
    await sheet(page).getByText(`It pays ${courier.pubkey}.`).waitFor();
    await sheet(page).getByRole('button', { name: 'Sign', exact: true }).click();
    await expect.poll(() => answersOf(page)).toEqual(['signed']);
    await askAsScript(page, { message: bytes(text(ahead.formation + 1)) });
    await sheet(page)
      .getByText(/The ledger would refuse it now: .*formation/)
      .waitFor();
    await expect.poll(() => focused(page)).toBe('Refuse');
  });
});
