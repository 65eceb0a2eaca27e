import { PAGES, toLamports } from '@legwork/protocol/contract';
import { ruledPayment, stakeShares } from '@legwork/protocol/rules';
import { formatSol, resultHash, uploadArtifact } from '@legwork/sdk';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { legIdOf, untilTask } from '../operations/digitalTasks/scene.js';
import {
  at,
  carryTo,
  type Cast,
  formedWithTerms,
  legNow,
  moveWithText,
  signedWith,
} from '../operations/turns/scene.js';
import { begunBy, boundTask, moveInTask, reasonOf } from '../operations/turns/taskScene.js';
import { untilPackage } from '../support/market.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { type Party, withService } from '../support/service.js';
import { received } from '../support/transactions.js';
import { connect, press, savedFrom, sayRuling, told, withVisitors } from './acting.js';
import { photograph } from './consignee.js';
import { sheet, tryDevice } from './devicePage.js';
import { Reader } from './reader.js';
import { shoot } from './tokens.js';
import { barriers, overhang, settled, verdicts } from './visit.js';
import { WALLET } from './wallet.js';

const service = withService();
const { visitor, goTo } = withVisitors(service);

const LOOKS = [360, 390, 1440].flatMap((width) => (['light', 'dark'] as const).map((theme) => [width, theme] as const));

/** Whatever the window and the theme, nothing stands beside it and nothing keeps people out. */
async function fits(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of LOOKS) {
    await page.setViewportSize({ width, height: 850 });
    await page.emulateMedia({ colorScheme });
    await shoot(page, `${name}-${width}-${colorScheme}`);
    const found = { width, colorScheme, over: await overhang(page), barriers: await barriers(page) };
    expect(found).toEqual({ width, colorScheme, over: 0, barriers: [] });
  }
}

/** One leg, claimed with words and a photograph, and disputed. */
async function disputed(
  page: Page,
  terms: { arbiterPubkey?: string } = {},
): Promise<Cast & { courier: Party; legId: string }> {
  const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]], { stakeSol: 0.05, ...terms });
  const courier = at(cast.couriers, 0);
  await carryTo(service.current, cast, 0);
  const photo = await page.evaluate<string>(photograph(640, 480));
  const claim = `at the door of number 12\ndata:image/jpeg;base64,${photo}`;
  await moveWithText(service.current, cast, 0, courier, 'claim', claim);
  await moveWithText(service.current, cast, 0, cast.shipper, 'dispute', 'number 12 has no door');
  return { ...cast, courier, legId: (await legNow(service.current, cast.parcel.id, 0)).id };
}

/** The transaction by which a listing was ruled last. */
async function rulingOf(of: { package: string } | { task: string }): Promise<string> {
  const { client } = await service.current.party(0);
  const { items } = await client.listEvents({ ...of, topics: 'LEG_RULED' });
  const [ruled] = items;
  if (ruled?.type !== 'LEG_RULED') throw new Error('it was not ruled');
  return ruled.signature;
}

const gained = (signature: string, { pubkey }: Party) => received(service.current, signature, pubkey);
/** The cost of a ruling: a transaction with one signature. */
const FEE = 5_000n;

test('an arbiter reads a dispute of a package and rules it, by keyboard alone and told by a screen reader; the ledger pays what the page says (D-112, D-113, T-22, T-36)', async () => {
  const one = await visitor([]);
  await goTo(one, PAGES.overview);
  const { parcel, shipper, arbiter, courier, legId } = await disputed(one.page);
  const judge = await visitor([arbiter], undefined, { width: 1440 });
  const reader = await Reader.of(judge);
  const { page } = reader;
  await page.goto(service.current.server.url + PAGES.desk);
  await settled(page);
  await reader.press(`Connect ${WALLET}`);
  await reader.press('Read the evidence');
  await expect
    .poll(() => verdicts(page))
    .toEqual([
      expect.stringMatching(/^Holds: /),
      'Holds: The claim names it on the ledger',
      'Holds: The dispute names it on the ledger',
    ]);
  await page.getByText('number 12 has no door').waitFor();
  await page.getByRole('img', { name: 'Photograph 1 of this text' }).waitFor();
  await page
    .getByText(/from Hansaviertel .* to Rummelsburg/)
    .first()
    .waitFor();
  await reader.goTo(['slider', /^Percent of the payment for the courier/u]);
  await page.keyboard.press('Home');
  await page.getByText('With 0 percent').waitFor();
  await page.getByText(/The courier loses the leg, which is open to other couriers/).waitFor();
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('PageUp');
  await page.getByText('With 30 percent').waitFor();
  await reader.press('Rule');
  await reader.hears(/^Say why/u);
  await reader.goTo(['textbox', /^Your reason/u], 'Shift+Tab');
  await page.keyboard.type('The photograph shows another door.');
  await fits(page, 'desk-package');
  const { agreedPayment } = await legNow(service.current, parcel.id, 0);
  const paid = ruledPayment(agreedPayment, 30);
  const shares = stakeShares(toLamports(50_000_000n), 'arbiter', 30);
  expect(await page.getByRole('table', { name: 'With 30 percent' }).getByRole('row').allInnerTexts()).toEqual([
    expect.anything(),
    ...(
      [
        ['The courier', formatSol(paid), formatSol(shares.worker)],
        ['The shipper', '0', formatSol(shares.disputer)],
        ['You, the arbiter', '0', formatSol(shares.fee)],
        ['Stays in escrow', formatSol(agreedPayment - paid), '0'],
        ['Altogether', formatSol(agreedPayment), '0.1'],
      ] as const
    ).map((row) => expect.stringMatching(new RegExp(row.map((cell) => `${cell}( SOL)?`).join('\\s+'), 'u'))),
  ]);
  await reader.press('Rule');
  await reader.asked('Rule', /, is paid to .*Stakes: .*cannot be undone/u);
  expect((await reader.press('Yes, sign it')).description).toContain(`${formatSol(shares.fee)} SOL to you`);
  await page.getByText(/The ledger has your ruling,/).waitFor();
  await reader.outlined('the desk after a ruling');
  expect(reader.faults).toEqual([]);
  await page.getByText('No dispute waits for this key.').waitFor();
  await fits(page, 'desk-ruled');

  const signature = await rulingOf({ package: parcel.id });
  expect(await gained(signature, courier)).toBe(shares.worker);
  expect(await gained(signature, shipper)).toBe(shares.disputer);
  expect(await gained(signature, arbiter)).toBe(shares.fee - FEE);
  const delivered = await untilPackage(service.current, parcel.id, ({ status }) => status === 'delivered');
  expect(await gained(delivered.swarm?.legs[0]?.confirmSignature ?? '', courier)).toBe(paid);
  expect((await shipper.client.listEvidence({ legId })).items.at(-1)).toMatchObject({
    authorPubkey: arbiter.pubkey,
    text: 'The photograph shows another door.',
  });
  const record = page.getByRole('region', { name: 'Your record' });
  await expect.poll(() => record.innerText()).toMatch(/30 % on average/u);
  expect(judge.complaints).toEqual([]);
});

const RESULT = 'Three topics: price, delay, colour.';

test('a dispute of a task is judged by its result and its files, and 0 percent opens the leg again (D-14, D-112, T-25)', async () => {
  const bound = await boundTask(service.current, {}, { legs: [{ instruction: 'Sum up the letters.' }] });
  const { task, poster, arbiter } = bound;
  const agent = await begunBy(service.current, bound, 0);
  const [taskId, legId] = [task.id, legIdOf(task, 0)];
  const content = new TextEncoder().encode('price; delay; colour');
  const file = await uploadArtifact(agent.client, {
    taskId,
    legId,
    content,
    name: 'topics.txt',
    contentType: 'text/plain',
  });
  const path = { taskId, legId, agentPubkey: agent.pubkey };
  const handed = await agent.client.completeDigitalLeg({ ...path, result: RESULT, artifacts: [file] });
  await agent.client.submitTurn({
    legId,
    transaction: await signedWith(handed.claimTransaction ?? '', [agent.signer]),
  });
  await moveInTask(bound, 0, poster, 'dispute', { hash: await reasonOf(poster, task, 0) });

  const judge = await visitor([arbiter], undefined, { width: 390, theme: 'dark' });
  // The turns lead to the desk.
  const page = await goTo(judge, PAGES.turns);
  await connect(page);
  await page.getByRole('link', { name: 'Judge it at your desk' }).click();
  await settled(page);
  await connect(page);
  await page.getByText('Sum up the letters.').waitFor();
  await press(page, 'Read the evidence');
  await page.getByText(RESULT).waitFor();
  expect(await savedFrom(page, 'Save topics.txt')).toEqual({ name: 'topics.txt', text: 'price; delay; colour' });
  await page.getByLabel('Percent of the payment for the agent', { exact: true }).fill('40,5');
  await page.getByText('A whole number from 0 to 100.').waitFor();
  await press(page, 'Rule');
  expect(await told(page)).toBe('The percentage is a whole number from 0 to 100.');
  await page.getByLabel('Percent of the payment for the agent', { exact: true }).fill('0');
  await page.getByLabel('Your reason').fill('There were five topics in the letters.');
  await fits(page, 'desk-task');
  await press(page, 'Rule');
  const asked = await page.getByRole('alertdialog').innerText();
  expect(asked).toMatch(/^Nothing of .* is paid to .*, and the leg is open to other agents again\. Stakes: 0 SOL to/u);
  await press(page, 'Yes, sign it');
  await page.getByText(/The ledger has your ruling,/).waitFor();
  const stake = task.terms?.stake ?? toLamports(0n);
  const shares = stakeShares(stake, 'arbiter', 0);
  const signature = await rulingOf({ task: taskId });
  expect(await gained(signature, agent)).toBe(0n);
  expect(await gained(signature, poster)).toBe(shares.disputer);
  expect(await gained(signature, arbiter)).toBe(shares.fee - FEE);
  await untilTask(service.current, taskId, ({ legs }) => legs[0]?.isOpen ?? false);
  const { items } = await agent.client.listEvidence({ legId });
  expect(items.map(({ text }) => text)).toEqual(['There were five topics in the letters.']);
  expect(judge.complaints).toEqual([]);
});

test('what the service changed is left out, and what it hides is said to be missing (D-112, T-64)', async () => {
  const one = await visitor([]);
  await goTo(one, PAGES.overview);
  const { arbiter, legId } = await disputed(one.page);
  const judge = await visitor([arbiter]);
  const page = await goTo(judge, `${PAGES.desk}?leg=${legId}`);
  await connect(page);
  await page.route('**/evidence', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace('has no door', 'has a door') });
  });
  await press(page, 'Read the evidence');
  await page.getByText('Left out: its text is not what its hash says').waitFor();
  expect(await page.getByText('number 12 has').count()).toBe(0);
  expect(await told(page)).toContain(
    `The text that the dispute names is not here. Its sha256 on the ledger: ${resultHash('number 12 has no door').hex}.`,
  );
  await fits(page, 'desk-forged');

  // The words of the listing are held against the ledger as well.
  await page.route('**/packages/*', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll('"stake":"50000000"', '"stake":"5000"');
    await route.fulfill({ response, body });
  });
  await page.reload();
  await settled(page);
  await connect(page);
  await page.getByText(/Differs: /).waitFor();
});

test('a key that judges nothing here is told so, and is shown no evidence (D-112, T-64)', async () => {
  const one = await visitor([]);
  await goTo(one, PAGES.overview);
  const { legId } = await disputed(one.page);
  const stranger = await service.current.party(1);
  const judge = await visitor([stranger], undefined, { width: 360 });
  const page = await goTo(judge, `${PAGES.desk}?leg=${legId}`);
  await page.getByRole('heading', { level: 1, name: "Arbiter's desk" }).waitFor();
  await connect(page);
  await page.getByText('No dispute waits for this key.').waitFor();
  await page.getByText(/is not disputed now, or its terms name another arbiter/).waitFor();
  await page.getByText('you have ruled nothing').waitFor();
  expect(await page.getByRole('button', { name: 'Read the evidence' }).count()).toBe(0);
  expect(await refusalOf(stranger.client.listEvidence({ legId }))).toMatchObject({ code: 'not_your_turn' });
  await fits(page, 'desk-stranger');
  expect(judge.complaints).toEqual([]);
});

test('the key of this device judges too, without any SOL, and is shown the reason that it signs (D-71, D-112, M-97, T-113)', async () => {
  const judge = await visitor([], undefined, { width: 360 });
  const page = await goTo(judge, PAGES.desk);
  const arbiterPubkey = await tryDevice(page);
  const { parcel, courier, legId } = await disputed(page, { arbiterPubkey });
  await page.reload();
  await settled(page);
  await press(page, 'Read the evidence');
  await page.getByText('number 12 has no door').waitFor();
  await sayRuling(page, 'courier', '100');
  await press(page, 'Yes, sign it');
  const reason = 'The claim is right in part.';
  await sheet(page)
    .getByText(`Says: “Legwork ruling, reason sha256 ${resultHash(reason).hex}”`)
    .waitFor();
  await shoot(page, 'desk-device');
  await sheet(page).getByRole('button', { name: 'Sign', exact: true }).click();
  await page.getByText(/The ledger has your ruling,/).waitFor();
  const signature = await rulingOf({ package: parcel.id });
  const shares = stakeShares(toLamports(50_000_000n), 'arbiter', 100);
  expect(await gained(signature, courier)).toBe(shares.worker);
  expect(await received(service.current, signature, arbiterPubkey)).toBe(shares.fee);
  const { items } = await courier.client.listEvidence({ legId });
  expect(items.at(-1)).toMatchObject({ authorPubkey: arbiterPubkey, text: reason });
  expect(judge.complaints).toEqual([]);
});
