import { pagePath, PAGES } from '@legwork/protocol/contract';
import { uploadArtifact } from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { claim, legIdOf, untilTask } from '../operations/digitalTasks/scene.js';
import { courier, signedWith } from '../operations/turns/scene.js';
import { begunBy, type Bound, boundTask, claimResult, moveInTask } from '../operations/turns/taskScene.js';
import { type Party, withService } from '../support/service.js';
import { ALL_HOLD, checked, press, savedFrom, sayRuling, told, withVisitors } from './acting.js';
import { checkedReceipts, shownReceipts } from './scene.js';
import { barriers, overhang, verdicts } from './visit.js';

const ARBITER = await generateKeyPairSigner();
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor, goTo, turnsOf } = withVisitors(service);

/** A task of one leg, so that its end is the task's. */
const oneLeg = (choice: Parameters<typeof boundTask>[1] = {}, changes: Parameters<typeof boundTask>[2] = {}) =>
  boundTask(service.current, choice, { legs: [{ instruction: 'Sum it up.' }], ...changes });

const stageOf = async ({ task }: Bound) =>
  (await untilTask(service.current, task.id, () => true)).legs[0]?.stage ?? null;

/** The agent that has the leg, and is still to accept it. */
async function assigned({ task }: Bound): Promise<Party> {
  const agent = await courier(service.current);
  await claim(agent, task, 0);
  await untilTask(service.current, task.id, ({ legs }) => legs[0]?.stage === 'pending');
  return agent;
}

const RESULT = 'Three topics: price, delay, colour.';

test('a leg is accepted, handed in, disputed and ruled from the pages, each by its own wallet (D-35, D-37)', async () => {
  const bound = await oneLeg({}, { requirements: { blocked: [ARBITER.address] } });
  const { task, poster, arbiter } = bound;
  const agent = await assigned(bound);
  const one = await visitor([agent, poster, arbiter]);
  const page = await turnsOf(one, agent);
  await press(page, 'Accept, with a stake of 0.02 SOL');
  await expect.poll(() => stageOf(bound)).toBe('accepted');
  await page.getByLabel('For a claim: the result').fill(RESULT);
  await press(page, 'Hand in the result');
  await expect.poll(() => stageOf(bound)).toBe('claimed');

  await turnsOf(one, poster);
  await press(page, 'Read the evidence');
  await expect.poll(() => verdicts(page)).toEqual(['Holds: The claim names it']);
  await page.getByText(RESULT).waitFor();
  await page.getByLabel('For a dispute').fill('there were five topics');
  await press(page, 'Dispute, with a stake of 0.02 SOL');
  await expect.poll(() => stageOf(bound)).toBe('disputed');

  await turnsOf(one, arbiter);
  await press(page, 'Read the evidence');
  await expect.poll(() => verdicts(page)).toEqual(['Holds: The claim names it', 'Holds: The dispute names it']);
  await turnsOf(one, arbiter, PAGES.desk);
  await sayRuling(page, 'agent', '40');
  await press(page, 'Yes, sign it');
  await untilTask(service.current, task.id, ({ status }) => status === 'completed');

  await goTo(one, pagePath('task', task.id));
  await page.getByText(/The arbiter gives .* 40 % of what leg 1 pays/).waitFor();
  await page.getByText(RESULT).waitFor();
  await page.getByText('1 agent', { exact: true }).waitFor();
  expect(await checked(page)).toMatch(ALL_HOLD);
  expect(one.complaints).toEqual([]);
});

test('a result is confirmed by its poster or its receiver, and read by nobody else until then (D-35, D-37, D-52)', async () => {
  const verifier = await service.current.party(1);
  const bound = await oneLeg({ receiverPubkey: verifier.pubkey });
  const agent = await begunBy(service.current, bound, 0);
  await claimResult(bound, 0, agent, RESULT);
  const stranger = await service.current.party(0);
  const one = await visitor([stranger, verifier]);
  const page = await goTo(one, pagePath('task', bound.task.id));
  await page.getByText(/claims that leg 1 is done\. .* or the poster can dispute it/).waitFor();
  await page.getByText('The result is handed in').waitFor();
  expect(await page.content()).not.toContain(RESULT);
  const read = await page.getByRole('link', { name: 'Read it (parties only)' }).getAttribute('href');
  await turnsOf(one, stranger, read ?? '');
  await press(page, 'Read the evidence');
  expect(await told(page)).toMatch(/has no part in this leg/);
  await turnsOf(one, verifier);
  await press(page, 'Confirm the result');
  await page.getByText(/It pays .* at once; this cannot be undone. Continue/).waitFor();
  await press(page, 'Yes, sign it');
  await untilTask(service.current, bound.task.id, ({ status }) => status === 'completed');
  await page.getByText('Nothing to do').waitFor();
  await goTo(one, pagePath('task', bound.task.id));
  await page.getByText(RESULT).waitFor();
  expect(await checked(page)).toMatch(ALL_HOLD);
  const handoffs = await shownReceipts(page);
  expect(await handoffs.getByRole('listitem').innerText()).toMatch(
    /Accepted\s+leg 1[^]*accepted the result of[^]*result /,
  );
  expect(await checkedReceipts(handoffs)).toBe('Holds: 0 of 1 signed, 1 on the ledger');
});

/** Claims a result with a file that calls itself a page, and means to be a picture of markup. */
async function claimFile(bound: Bound, agent: Party): Promise<void> {
  const [taskId, legId] = [bound.task.id, legIdOf(bound.task, 0)];
  const content = new TextEncoder().encode(MARKUP);
  const file = await uploadArtifact(agent.client, { taskId, legId, content, name: HOSTILE, contentType: 'text/html' });
  const { claimTransaction } = await agent.client.completeDigitalLeg({
    taskId,
    legId,
    agentPubkey: agent.pubkey,
    result: 'See the file.',
    artifacts: [file],
  });
  await agent.client.submitTurn({ legId, transaction: await signedWith(claimTransaction ?? '', [agent.signer]) });
}

const MARKUP = '<script>document.title = "taken"</script>\n';
const HOSTILE = '<img src=x onerror=alert(1)>.html';
const SAVE = `Save ${HOSTILE}`;

test('the files of a result under review are saved by those who judge it, whole and unopened, or not at all (D-14, D-37)', async () => {
  const bound = await oneLeg();
  const { task, poster, arbiter } = bound;
  const agent = await begunBy(service.current, bound, 0);
  await claimFile(bound, agent);
  const one = await visitor([poster, arbiter], undefined, { width: 390, theme: 'dark' });
  const page = await goTo(one, pagePath('task', task.id));
  const path = await page.getByRole('link', { name: 'Read it (parties only)' }).getAttribute('href');
  expect(await page.content()).not.toContain('onerror');
  await turnsOf(one, poster, path ?? '');
  const asked = page.getByRole('region', { name: 'Evidence of leg 1' });
  await asked.getByRole('button', { name: 'Read the evidence' }).click();
  await expect.poll(() => verdicts(page)).toEqual(['Holds: The claim names it']);
  await page.getByText('See the file.').waitFor();
  expect(await savedFrom(page, SAVE)).toEqual({ name: expect.stringMatching(/onerror.*\.html$/), text: MARKUP });
  await expect.poll(() => verdicts(asked)).toContain('Holds: its sha256 matches the listing');
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).not.toBe('taken');
  expect(await overhang(page)).toBe(0);
  expect(await barriers(page)).toEqual([]);
  expect(one.complaints).toEqual([]);

  let saved = 0;
  page.on('download', () => (saved += 1));
  await page.route('**/artifacts/*', (route) => route.fulfill({ body: MARKUP.replace('taken', 'token') }));
  await press(page, SAVE);
  expect(await told(page)).toMatch(/has the sha256 .*, not /);
  expect(saved).toBe(0);
  await page.unroute('**/artifacts/*');

  // An arbiter judges what is disputed, and nothing before.
  await turnsOf(one, arbiter, path ?? '');
  await press(page, 'Read the evidence');
  expect(await told(page)).toMatch(/has no part in this leg|while it is disputed/);
});

test('agent and poster agree on a share, each asked back to whom how much goes (D-30, D-35, D-38)', async () => {
  const bound = await oneLeg();
  const { poster, task } = bound;
  const agent = await begunBy(service.current, bound, 0);
  await claimResult(bound, 0, agent, RESULT);
  const one = await visitor([agent, poster], undefined, { width: 360 });
  const page = await turnsOf(one, poster);
  await page.getByLabel('Percent of the payment').fill('70');
  await press(page, 'Agree with the other side');
  const asked = page.getByRole('alertdialog');
  expect(await asked.innerText()).toContain(
    `Once both have signed, 0.07 SOL, which is 70 % of 0.100000001 SOL, is paid to ${agent.pubkey}; 0.030000001 SOL stays in escrow.`,
  );
  await press(page, 'Yes, sign it');
  const link = new URL(await page.getByRole('status').locator('code').innerText());
  // Also a half of one's own can be looked at; the key of who is paid fits a phone.
  await turnsOf(one, poster, link.pathname + link.search);
  await press(page, 'Sign');
  expect(await asked.innerText()).toContain(`is paid to ${agent.pubkey}`);
  expect(await overhang(page)).toBe(0);
  expect(await barriers(page)).toEqual([]);
  await turnsOf(one, agent, link.pathname + link.search);
  await page.getByText(/gets 70 % of what leg 1 pays, 0.07 SOL/).waitFor();
  await press(page, 'Sign');
  expect(await asked.innerText()).toContain('0.07 SOL, which is 70 % of 0.100000001 SOL, is paid to you');
  expect(await stageOf(bound)).toBe('claimed');
  await press(page, 'No, not now');
  await press(page, 'Sign');
  await press(page, 'Yes, sign it');
  await page.getByRole('status').filter({ hasText: 'Done. It is on the ledger.' }).waitFor();
  expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
  const done = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
  expect(done.legs[0]).toMatchObject({ percent: 70, paymentLamports: 70_000_000n });
  await goTo(one, pagePath('task', task.id));
  await page.getByText(/The poster and .* agree on 70 % of what leg 1 pays/).waitFor();
  expect(await checked(page)).toMatch(ALL_HOLD);
});

describe('the page of a task with terms', () => {
  test.each([
    [1360, 'light'],
    [390, 'dark'],
  ] as const)(
    'says whose move it is, until when, and what silence costs: %i, %s (D-30, D-35)',
    async (width, theme) => {
      const bound = await oneLeg();
      const one = await visitor([], undefined, { width, theme });
      const page = await goTo(one, pagePath('task', bound.task.id));
      await page.getByText(/The first agent to claim leg 1 gets it/).waitFor();
      const agent = await assigned(bound);
      await page.getByText(/must accept leg 1 with a stake of 0.02 SOL/).waitFor();
      await page.getByText(/If nothing happens, anyone can vacate the leg; nothing is lost/).waitFor();
      await page.getByText(/^clock ends in (2|3)\d min$/).waitFor();
      await moveInTask(bound, 0, agent, 'accept');
      await page.getByText(/works on leg 1, whose result pays 0.1/).waitFor();
      await page
        .getByText('As stakes 0.02 SOL')
        .or(page.getByText(/as stakes/))
        .waitFor();
      if (width < 760) await page.getByRole('heading', { name: 'Stakes and clocks' }).click();
      await page.getByText('No disputes yet').waitFor();
      expect(await overhang(page)).toBe(0);
      expect(await barriers(page)).toEqual([]);
    },
  );

  test.each([
    ['stake', '"stake":"20000000"', '"stake":"20000001"', /Its stake, in base units, is 20000000/],
    ['requirement', '"minScore":1', '"minScore":2', /The terms shown hash to/],
  ])('finds another %s than the ledger holds (D-13)', async (_, from, to, words) => {
    const bound = await oneLeg({}, { requirements: { minScore: 1 } });
    const one = await visitor([]);
    await one.page.route('**/digital-tasks/*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(from, to) });
    });
    const page = await goTo(one, pagePath('task', bound.task.id));
    await page.getByRole('region', { name: 'Terms', exact: true }).getByRole('button', { name: /Check/ }).click();
    await page.getByText(words).waitFor();
    expect(await page.getByText(words).count()).toBe(1);
  });
});

test.each([
  ['move', { action: 'vacate' }],
  ['stake', {}],
] as const)(
  'a move in a task is not signed where the service answers with another %s (D-17)',
  async (what, changed) => {
    const bound = await oneLeg();
    const agent = await assigned(bound);
    const one = await visitor([agent, bound.poster]);
    if (what === 'stake') {
      await one.page.route('**/digital-tasks/*', async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replaceAll('"stake":"20000000"', '"stake":"2000"');
        await route.fulfill({ response, body });
      });
    }
    await one.page.route('**/turns/build-tx', async (route) => {
      const asked = route.request().postDataJSON() as object;
      await route.continue({ postData: JSON.stringify({ ...asked, ...changed }) });
    });
    const page = await turnsOf(one, agent);
    await press(page, /^Accept/);
    expect(await told(page)).toMatch(what === 'stake' ? /Its stake, in base units, is 20000000/ : /another vacate/);
    expect(await stageOf(bound)).toBe('pending');
  },
);

// Last: from here on the ledger is ahead of everybody's clocks.
test('a leg that was lost with its stake is open again, and everything holds (D-12, D-35)', async () => {
  const bound = await oneLeg();
  await begunBy(service.current, bound, 0);
  await service.current.advanceTime(2_400 + 120);
  await untilTask(service.current, bound.task.id, ({ legs }) => legs[0]?.isOpen ?? false);
  const page = await goTo(await visitor([]), pagePath('task', bound.task.id));
  await page.getByText(/ lost leg 1 and its stake, 0.02/).waitFor();
  await page.getByText(/^Stake lost/).waitFor();
  expect(await checked(page)).toMatch(ALL_HOLD);
});
