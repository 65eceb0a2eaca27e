import { describe, expect, test } from 'vitest';
import { cancellation } from '../../coordinator/scene.js';
import type { Party } from '../../support/service.js';
import { withService } from '../../support/service.js';
import { land } from '../../support/transactions.js';
import { passADay, type Posting, postSigned, postSponsored, untilReturned } from './scene.js';

const service = withService({
  settings: () => ({
    TRUST_PROXY: '127.0.0.1',
    SPONSOR_POSTER_SOL: '1',
    SPONSOR_IP_SOL: '1.5',
    SPONSOR_OUTSTANDING_SOL: '6',
  }),
});

const from = (ip: string) => ({ 'x-forwarded-for': ip });

/** Posts 0.9 SOL with the poster's signature. */
const post = (poster: Party, ip: string) => postSigned(service.current, poster, { maxBudgetSol: 0.9 }, from(ip));

/** Has the poster cancel the listing, and waits until the coordinator has its money back. */
async function takeBack(poster: Party, { body }: Posting): Promise<void> {
  const parcel = await poster.client.getPackage({ packageId: body.id ?? '' });
  await land(service.current, await cancellation(service.current, poster, parcel));
  await untilReturned(service.current, parcel.id);
}

describe('the allowance of a poster', () => {
  test('is not used up by postings in its name that it did not sign (M-46)', async () => {
    const [poster, stranger] = [await service.current.party(1), await service.current.party(1)];
    const inItsName = () => postSponsored(service.current, poster.pubkey, { maxBudgetSol: 0.9 }, from('198.51.100.1'));
    expect((await inItsName()).status).toBe(201);
    const refused = await inItsName();
    expect(refused).toMatchObject({ status: 422, body: { code: 'sponsorship_cap' } });
    expect(refused.body.detail).toContain('at most 1 SOL for one poster without its signature');
    expect(refused.body.detail).toContain('sign the request with the key of shipperPubkey');
    // A stranger's signature is not the poster's.
    const signedByAnother = await postSigned(
      service.current,
      { pubkey: poster.pubkey, signer: stranger.signer },
      { maxBudgetSol: 0.9 },
      from('198.51.100.2'),
    );
    expect(signedByAnother.body.detail).toContain('without its signature');

    const own = await post(poster, '198.51.100.3');
    expect(own.status).toBe(201);
    const over = await post(poster, '198.51.100.4');
    expect(over).toMatchObject({ status: 422, body: { code: 'sponsorship_cap' } });
    expect(over.body.detail).toContain('at most 1 SOL for one poster (');
  });
});

describe('what is outstanding counts on after its day', () => {
  test('for the poster, until it is back (M-46)', async () => {
    const poster = await service.current.party(1);
    const first = await post(poster, '192.0.2.1');
    await passADay(service.current);
    const refused = await post(poster, '192.0.2.2');
    expect(refused).toMatchObject({ status: 422, body: { code: 'sponsorship_cap' } });
    await takeBack(poster, first);
    expect((await post(poster, '192.0.2.2')).status).toBe(201);
  });

  test('for the address, until it is back (M-46)', async () => {
    const [one, other] = [await service.current.party(1), await service.current.party(1)];
    const first = await post(one, '192.0.2.3');
    await passADay(service.current);
    const refused = await post(other, '192.0.2.3');
    expect(refused).toMatchObject({ status: 422, body: { code: 'sponsorship_cap' } });
    expect(refused.body.detail).toContain('at most 1.5 SOL for one address');
    await takeBack(one, first);
    expect((await post(other, '192.0.2.3')).status).toBe(201);
  });

  test('in all, until some of it is back (M-46)', async () => {
    const posters: Party[] = [];
    const postings: Posting[] = [];
    do {
      const poster = await service.current.party(1);
      posters.push(poster);
      postings.push(await post(poster, `203.0.113.${posters.length}`));
      await passADay(service.current);
    } while (postings.at(-1)?.status === 201 && postings.length < 5);
    const refused = postings.pop();
    expect(refused).toMatchObject({ status: 422, body: { code: 'sponsorship_cap' } });
    expect(refused?.body.detail).toContain('at most 6 SOL outstanding in all');
    const [poster, late, first] = [posters[0], posters.at(-1), postings[0]];
    if (!poster || !late || !first) throw new Error('nothing was listed');
    await takeBack(poster, first);
    expect((await post(late, '203.0.113.9')).status).toBe(201);
  });
});
