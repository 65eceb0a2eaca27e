import { formatSol } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.js';
import { withService } from '../../support/service.js';
import { passADay, type Posting, postSponsored } from './scene.js';

const KEY = 'a-key-for-posting';
const service = withService({
  settings: () => ({
    TRUST_PROXY: '127.0.0.1',
    API_KEYS: KEY,
    SPONSOR_TASK_SOL: '1',
    SPONSOR_POSTER_SOL: '2',
    SPONSOR_IP_SOL: '3',
    SPONSOR_DAY_SOL: '7',
    SPONSOR_OUTSTANDING_SOL: '9',
  }),
});

const from = (ip: string) => ({ 'x-forwarded-for': ip, 'x-api-key': KEY });

async function advancedFor(by: { poster?: string; ip?: string }): Promise<bigint> {
  let query = service.current.db.selectFrom('sponsorships').select('lamports');
  if (by.poster !== undefined) query = query.where('poster_pubkey', '=', by.poster);
  if (by.ip !== undefined) query = query.where('ip', '=', by.ip);
  return (await query.execute()).reduce((sum, row) => sum + row.lamports, 0n);
}

/** How many of the postings were listed; every other one was refused for a cap of so many SOL. */
function listedOf(postings: readonly Posting[], capSol: number): number {
  const refused = postings.filter(({ status }) => status !== 201);
  for (const { status, body } of refused) {
    expect({ status, code: body.code, fields: body.errors?.map(({ field }) => field) }).toEqual({
      status: 422,
      code: 'sponsorship_cap',
      fields: ['maxBudgetSol'],
    });
    expect(body.detail).toContain(`at most ${capSol} SOL`);
    expect(body.detail).toContain('POST /packages/build-tx');
  }
  return postings.length - refused.length;
}

test('the coordinator advances nothing to callers without a key once there are keys (S-17)', async () => {
  const { pubkey } = await service.current.party(0);
  for (const headers of [{}, { 'x-api-key': `${KEY}s` }]) {
    const { status, body } = await postSponsored(service.current, pubkey, {}, headers);
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'api_key_required' });
  }
  expect(await advancedFor({})).toBe(0n);
});

test('unless configured, it takes ten addresses to use up a day (M-46)', () => {
  const { task, poster, ip, day, outstanding } = loadConfig({
    ...service.current.environment(),
    SPONSOR_IP_SOL: '',
  }).sponsorCaps;
  expect([task, poster, ip, day, outstanding].map(formatSol)).toEqual(['1', '2', '5', '50', '100']);
});

test('GET /config tells the caps and the longest deadline (M-46, M-70)', async () => {
  const { client } = await service.current.party(0);
  const { sponsoring } = (await client.getConfig()).limits;
  expect(sponsoring).toEqual({
    taskLamports: 1_000_000_000n,
    posterPerDayLamports: 2_000_000_000n,
    addressPerDayLamports: 3_000_000_000n,
    perDayLamports: 7_000_000_000n,
    outstandingLamports: 9_000_000_000n,
    maxDeadlineSec: 604_800,
    needsApiKey: true,
  });
});

describe('the coordinator advances no more than its caps', () => {
  test('for one package, and names the budget that would do (M-46)', async () => {
    const { pubkey } = await service.current.party(0);
    const asked = { maxBudgetSol: 1.000000001 };
    const over = await postSponsored(service.current, pubkey, asked, from('198.51.100.1'));
    expect(listedOf([over], 1)).toBe(0);
    expect(over.body.detail).toContain('funds one package with at most 1 SOL');
    const within = await postSponsored(service.current, pubkey, { maxBudgetSol: 1 }, from('198.51.100.1'));
    expect(within.status).toBe(201);
  });

  test('for one poster, though 20 postings come at once from as many addresses (M-46)', async () => {
    const { pubkey } = await service.current.party(0);
    const postings = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        postSponsored(service.current, pubkey, { maxBudgetSol: 0.3 }, from(`203.0.113.${index}`)),
      ),
    );
    // Six of 0.3 SOL with their rent fit into 2 SOL, seven do not.
    expect(listedOf(postings, 2)).toBe(6);
    expect(await advancedFor({ poster: pubkey })).toBeLessThanOrEqual(2_000_000_000n);
  });

  test('for one address, which is one IPv6 network, though the posters are many (M-46)', async () => {
    const postings: Posting[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { pubkey } = await service.current.party(0);
      postings.push(await postSponsored(service.current, pubkey, { maxBudgetSol: 0.7 }, from(`2001:db8::${index}`)));
    }
    expect(listedOf(postings, 3)).toBe(4);
    expect(await advancedFor({ ip: '2001:db8:0:0::/64' })).toBeLessThanOrEqual(3_000_000_000n);
  });

  test('within a day in all, and again the next day (M-46)', async () => {
    const post = async (index: number) => {
      const { pubkey } = await service.current.party(0);
      return postSponsored(service.current, pubkey, { maxBudgetSol: 0.9 }, from(`192.0.2.${index}`));
    };
    const postings: Posting[] = [];
    for (let index = 0; index < 4; index += 1) postings.push(await post(index));
    expect(listedOf(postings, 7)).toBeLessThan(4);
    expect(await advancedFor({})).toBeLessThanOrEqual(7_000_000_000n);
    await passADay(service.current);
    expect((await post(9)).status).toBe(201);
  });
});
