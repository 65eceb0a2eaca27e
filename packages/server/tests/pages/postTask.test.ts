import { PAGES } from '@legwork/protocol/contract';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { type Party, withService } from '../support/service.js';
import { connect, press, told, withVisitors } from './acting.js';
import { barriers, overhang, verdicts, type Visit } from './visit.js';

const ARBITER = await generateKeyPairSigner();
const service = withService({ settings: (usual) => ({ ...usual, ARBITER_PUBKEY: ARBITER.address }) });
const { visitor, goTo } = withVisitors(service);

describe('a task is posted with a wallet', () => {
  /** Comes from the list of tasks, and fills in two legs. */
  async function filledIn(one: Visit) {
    const page = await goTo(one, PAGES.tasks);
    await page.getByRole('link', { name: 'Post a task' }).click();
    await page.getByRole('heading', { level: 1, name: 'Post a digital task' }).waitFor();
    await connect(page);
    await page.getByRole('textbox', { name: 'Title' }).fill('Sum up the feedback');
    await page.getByRole('textbox', { name: 'Goal' }).fill('Group the feedback, then sum it up.');
    await page.getByRole('textbox', { name: 'Leg 1' }).fill('Group it by topic.');
    await press(page, 'Add a leg');
    await page.getByRole('textbox', { name: 'Leg 2' }).fill('Sum each group up.');
    await page.getByRole('textbox', { name: 'Budget' }).fill('0.1');
    return page;
  }
  const tasksOf = async ({ client, pubkey }: Party) => (await client.listDigitalTasks({ shipper: pubkey })).items;

  test.each([
    [1360, 'light'],
    [390, 'dark'],
  ] as const)(
    'with stakes and clocks, and what is listed is what was shown: %i, %s (D-30, D-36)',
    async (width, theme) => {
      const [poster, receiver] = [await service.current.party(1), await service.current.party(0)];
      const one = await visitor([poster], undefined, { width, theme });
      const page = await filledIn(one);
      await page.getByRole('radio', { name: 'Somebody with a key' }).check();
      await page.getByLabel("Receiver's key").fill(receiver.pubkey);
      await page.getByText('Each agent stakes 0.02 SOL').waitFor();
      await page.getByText('Each leg pays').waitFor();
      await press(page, 'Add a leg');
      await press(page, 'Remove leg 3');
      expect(await overhang(page)).toBe(0);
      expect(await barriers(page)).toEqual([]);
      await press(page, 'Sign and list it');
      await page.getByRole('heading', { level: 1, name: 'Sum up the feedback' }).waitFor();
      expect(await tasksOf(poster)).toMatchObject([
        {
          maxBudgetLamports: 100_000_000n,
          numLegs: 2,
          claimTimeoutSec: 1800,
          terms: { receiverPubkey: receiver.pubkey, arbiterPubkey: ARBITER.address, stakeLamports: 20_000_000n },
        },
      ]);
      const terms = page.getByRole('region', { name: 'Terms', exact: true });
      // On a phone it is folded.
      if (width < 760) await terms.locator('summary').click();
      await terms.getByRole('button', { name: /Check/ }).click();
      await expect.poll(() => verdicts(page)).toContain('Holds: Same on the ledger');
      expect(one.complaints).toEqual([]);
    },
  );

  test.each([
    [
      'instruction',
      (asked: object) => ({ ...asked, legs: [{ instruction: 'x' }, { instruction: 'y' }] }),
      /terms hash/,
    ],
    [
      'budget',
      (asked: object) => ({ ...asked, maxBudgetSol: 0.5 }),
      /budget \(base units\) of the listing is 500000000/,
    ],
  ])('not with another %s than was typed: the page signs nothing (D-17)', async (_, changed, words) => {
    const poster = await service.current.party(1);
    const signed: Uint8Array[] = [];
    const one = await visitor([poster], (_signer, bytes) => {
      signed.push(bytes);
      throw new Error('this is not to be signed');
    });
    const page = await filledIn(one);
    await page.getByRole('radio', { name: 'Plain' }).check();
    await page.route('**/digital-tasks/build-tx', async (route) => {
      await route.continue({ postData: JSON.stringify(changed(route.request().postDataJSON() as object)) });
    });
    await press(page, 'Sign and list it');
    expect(await told(page)).toMatch(words);
    expect(signed).toEqual([]);
    expect(await tasksOf(poster)).toEqual([]);
  });
});
