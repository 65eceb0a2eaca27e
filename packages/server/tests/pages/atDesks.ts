import { PAGES } from '@legwork/protocol/contract';
import { expect } from 'vitest';
import { claim, untilTask } from '../operations/digitalTasks/scene.js';
import { courier, formedWithTerms, listedWithTerms } from '../operations/turns/scene.js';
import { boundTask } from '../operations/turns/taskScene.js';
import type { Journeys } from './keyboard.slow.test.js';
import { packagesOf } from './posting.js';
import type { Reader } from './reader.js';
import { delivered, formedRelay } from './scene.js';

/** Makes the key of this device and gets something into it. */
export async function makeWallet({ reading }: Journeys): Promise<Reader[]> {
  const reader = await reading([], PAGES.courier);
  await reader.press('Connect This device');
  await reader.press('Make one');
  const sheet = reader.page.getByRole('dialog');
  await sheet.getByRole('heading', { name: /12 words/u }).waitFor();
  const words = await sheet.getByRole('listitem').allInnerTexts();
  await reader.press('I wrote them down');
  for (const label of await sheet.locator('label').allInnerTexts()) {
    await reader.type(label, words[Number(/\d+/u.exec(label)?.[0]) - 1] ?? '');
  }
  await reader.press('Done');
  await sheet.waitFor({ state: 'detached' });
  await reader.press('Get 1 test SOL');
  await reader.hears('1 test SOL has arrived');
  await reader.press('Forget the key');
  await reader.asked('Forget the key', /lost for good/u);
  await reader.page.keyboard.press('Escape');
  await reader.goTo(['button', 'Forget the key']);
  await reader.outlined('the courier with a wallet');
  await reader.type('Name', 'Key courier');
  await reader.press('Register');
  await reader.hears('You are registered');
  await reader.kept('after the name was taken');

  // The changes that it signs are told with the button that signs it.
  await reader.press('Post', 'Enter', 'link');
  await fillIn(reader);
  await reader.press('Sign and list it');
  await sheet.waitFor();
  await reader.hears(/vault/u);
  await reader.outlined('a sheet that asks for a signature');
  expect((await reader.press('Sign')).description).toMatch(/Locks in escrow: 0\.3 SOL.*This device −0\.30\d+ SOL/u);
  await reader.page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
  await expect.poll(async () => (await reader.here()).name).toBe('a violin in its case');
  return [reader];
}

/** Types the name of a place and takes the first that is found. */
async function choosePlace(reader: Reader, field: string, text: string): Promise<void> {
  await reader.type(field, text, 'combobox');
  await reader.hears(/found\. Choose with the arrow keys and press Enter\./u);
  await reader.page.keyboard.press('ArrowDown');
  await reader.page.keyboard.press('ArrowUp');
  await reader.page.keyboard.press('Enter');
}

async function fillIn(reader: Reader): Promise<void> {
  await reader.type('Description', 'a violin in its case');
  await choosePlace(reader, 'From', 'Charlottenburg, Berlin');
  await choosePlace(reader, 'To', 'Friedrichshain, Berlin');
  await reader.type(/^Weight/u, '2.5');
  await reader.type(/^Volume/u, '30');
  await reader.type(/^Budget/u, '0.3');
}

/** Posts a package, and cancels it. */
export async function postPackage({ service, reading, connect }: Journeys): Promise<Reader[]> {
  const shipper = await service.party(3);
  const reader = await reading([shipper], PAGES.post);
  await connect(reader);
  await reader.press('Sign and list it');
  await expect.poll(async () => (await reader.here()).name).toBe('Description');
  await reader.outlined('a form with faults');
  await fillIn(reader);
  await reader.press('Sign and list it');
  await reader.page.getByRole('heading', { level: 1, name: 'a violin in its case' }).waitFor();
  await expect.poll(async () => (await reader.here()).name).toBe('a violin in its case');
  await reader.press('Cancel it');
  await reader.asked('Cancel it', /0\.3 SOL come back to you/u);
  await reader.page.keyboard.press('Escape');
  await reader.press('Cancel it', 'Space');
  expect((await reader.press('Yes, sign it')).description).toContain('0.3 SOL come back to you');
  await reader.hears(/Cancelled before anyone carried it/u);
  await reader.kept('after it was cancelled');
  expect(await packagesOf(shipper)).toMatchObject([{ failureReason: 'cancelled' }]);
  await reader.outlined('a cancelled package');
  return [reader];
}

/** Takes back what nobody has accepted, from the page of the package. */
export async function takeBack({ service, reading, connect }: Journeys): Promise<Reader[]> {
  const { shipper, parcel } = await formedWithTerms(service, [['zoo', 'ostkreuz', 0.05]]);
  const reader = await reading([shipper], PAGES.turns);
  await connect(reader);
  await reader.press(parcel.description, 'Enter', 'link');
  await reader.page.getByRole('heading', { level: 1, name: parcel.description }).waitFor();
  await reader.press('Take back what is left');
  await reader.asked('Take back what is left', /0\.5 SOL come back to you/u);
  expect((await reader.press('Yes, sign it')).description).toContain('0.5 SOL come back to you');
  await reader.hears(/^Reclaimed with no leg done/u);
  await reader.kept('after it was taken back');
  return [reader];
}

/** Finds a parcel, bids on it and accepts its leg. */
export async function bid({ service, reading, connect }: Journeys): Promise<Reader[]> {
  await listedWithTerms(service, {}, { description: 'a lamp by keyboard' });
  const one = await courier(service);
  const reader = await reading([one], PAGES.courier);
  await connect(reader);
  await choosePlace(reader, 'Near', 'Charlottenburg, Berlin');
  await reader.press(/^Bid on it/u);
  await reader.press('Bid');
  await reader.asked('Bid', /you stake 0\.\d+ SOL/u);
  await reader.press('Yes, bid');
  await reader.hears('Your bid is placed');
  await reader.page.getByRole('heading', { name: 'My leg 1: awaiting acceptance' }).waitFor();
  await reader.kept('after the bid');
  await reader.outlined('the courier with a leg');
  const accept = await reader.goTo(['button', /^Accept, with a stake of/u], 'Shift+Tab');
  expect(accept.name).toMatch(/0\.\d+ SOL$/u);
  await reader.page.keyboard.press('Enter');
  await reader.asked(accept.name, /get it back when the leg is paid/u);
  await reader.press('Yes, sign it');
  await reader.page.getByRole('heading', { name: 'My leg 1: accepted' }).waitFor();
  await reader.hears('Done. It is on the ledger.');
  await reader.kept('after it was accepted');
  await reader.outlined('the courier with an accepted leg');
  return [reader];
}

/** Posts a digital task, and cancels it among its own. */
export async function postTask({ service, reading, connect }: Journeys): Promise<Reader[]> {
  const poster = await service.party(2);
  const reader = await reading([poster], `${PAGES.post}?kind=task`);
  await connect(reader);
  await reader.type('Title', 'Sum up by keyboard');
  await reader.type(/^Goal/u, 'Group the feedback, then sum it up.');
  await reader.type(/^Leg 1/u, 'Group it by topic.');
  await reader.type(/^Budget/u, '0.1');
  await reader.outlined('the form of a task');
  await reader.press('Sign and list it');
  await reader.page.getByRole('heading', { level: 1, name: 'Sum up by keyboard' }).waitFor();
  await reader.press('Turns', 'Enter', 'link');
  await reader.page.getByRole('heading', { level: 1, name: 'Your turns' }).waitFor();
  await reader.press('Cancel it');
  await reader.asked('Cancel it', /0\.1 SOL come back to you/u);
  await reader.press('Yes, sign it');
  await reader.hears('the money is back');
  await reader.kept('after the task was cancelled');
  await reader.outlined('the turns of a poster');
  return [reader];
}

/** An agent accepts and hands in, the poster reads and disputes, the arbiter rules. */
export async function dispute({ service, reading, connect }: Journeys): Promise<Reader[]> {
  const { task, poster, arbiter } = await boundTask(service, {}, { legs: [{ instruction: 'Sum it up.' }] });
  const one = await courier(service);
  await claim(one, task, 0);
  await untilTask(service, task.id, ({ legs }) => legs[0]?.stage === 'pending');
  const agent = await reading([one], PAGES.turns);
  await connect(agent);
  await agent.press(/^Accept, with a stake of 0\.\d+ SOL$/u);
  await agent.hears('Done. It is on the ledger.');
  await agent.kept('after the leg was accepted');
  await agent.type('For a claim: the result', 'Three topics.');
  await agent.press('Hand in the result');
  await agent.hears('Done. It is on the ledger.');
  await agent.kept('after the claim');
  await agent.outlined('the turns of an agent');

  const reviewer = await reading([poster], PAGES.turns);
  await connect(reviewer);
  await reviewer.press('Read the evidence');
  await reviewer.page.getByText('Three topics.').waitFor();
  await reviewer.press('Confirm the result');
  await reviewer.asked('Confirm the result', /It pays .*0\.\d+ SOL.* cannot be undone/u);
  await reviewer.page.keyboard.press('Escape');
  await reviewer.type(/^For a dispute/u, 'there were five');
  await reviewer.press(/^Dispute, with a stake of 0\.\d+ SOL$/u);
  await reviewer.hears('Done. It is on the ledger.');
  await reviewer.kept('after the dispute');
  await reviewer.outlined('the turns of a poster who disputes');

  const judge = await reading([arbiter], PAGES.desk);
  await connect(judge);
  await judge.type('Percent of the payment for the agent', '40');
  await judge.type(/^Your reason/u, 'three of five');
  await judge.press('Rule');
  await judge.asked('Rule', /0\.\d+ SOL, which is 40 % of/u);
  expect((await judge.press('Yes, sign it')).description).toContain('40 %');
  await judge.page.getByText(/The ledger has your ruling,/).waitFor();
  await judge.kept('after the ruling');
  await judge.outlined('the desk of an arbiter');
  return [agent, reviewer, judge];
}

/** Finds a package by the end of its id, and closes what was found. */
export async function search({ service, reading }: Journeys): Promise<Reader[]> {
  const { parcel } = await formedRelay(service, 'a book to be found');
  const reader = await reading([], PAGES.packages);
  const { page } = reader;
  await page.keyboard.press('/');
  await page.keyboard.type('no such thing');
  await page.keyboard.press('Enter');
  await reader.hears('Nothing here matches');
  await page.keyboard.press('Escape');
  expect((await reader.here()).role).toBe('searchbox');
  await reader.type('Find by title, agent, id or key', parcel.id, 'searchbox');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'a book to be found' }).waitFor();
  await expect.poll(async () => (await reader.here()).name).toBe('a book to be found');
  await reader.outlined('a package that was found');
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1, name: 'Packages' }).waitFor();
  await expect.poll(async () => (await reader.here()).name).toBe('Packages');
  return [reader];
}

/** Goes from the overview to a package and checks what it says and its receipts. */
export async function check({ service, reading }: Journeys): Promise<Reader[]> {
  await delivered(service, await formedRelay(service, 'a vase to be checked'));
  const reader = await reading([], PAGES.overview);
  await reader.outlined('the overview');
  await reader.press(/^a vase to be checked/u, 'Enter', 'link');
  await reader.page.getByRole('heading', { level: 1, name: 'a vase to be checked' }).waitFor();
  await reader.press('Check all on the ledger');
  await reader.hears(/(\d+) of \1 hold/u);
  await reader.kept('after the checks');
  await reader.press('Show the receipts');
  await reader.page.getByRole('list', { name: 'Handoffs' }).waitFor();
  await reader.kept('after the receipts came');
  await reader.press('Check these receipts');
  await reader.hears('Holds: ');
  await reader.kept('after the receipts were checked');
  await reader.press(/^Copy /u);
  await reader.outlined('a package with receipts');
  return [reader];
}
