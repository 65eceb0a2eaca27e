import { createUuid, toLamports } from '@legwork/protocol/contract';
import { createLegworkClient } from '@legwork/sdk';
import { beforeAll, expect, test } from 'vitest';
import { refused } from '../digitalTasks/scene.js';
import { withService } from '../../support/service.js';
import { claimRow, insertClaims } from './scene.js';

const service = withService();
const client = () => createLegworkClient({ url: service.current.server.url });

/** Many ties: earnings repeat, and of the same earnings times do. */
const rows = Array.from({ length: 130 }, (_, index) =>
  claimRow({
    earnings_lamports: toLamports(BigInt(index % 5) * 1000n),
    claimed_at: new Date(Date.UTC(2026, 4, 12) + (index % 3)),
  }),
);

beforeAll(() => insertClaims(service.current.db, rows));

const text = (left: string, right: string) => (left === right ? 0 : left < right ? -1 : 1);

const down = (left: bigint, right: bigint) => (left === right ? 0 : left > right ? -1 : 1);

const expected = rows
  .toSorted(
    (a, b) =>
      down(a.earnings_lamports, b.earnings_lamports) ||
      Number(a.claimed_at) - Number(b.claimed_at) ||
      text(a.devnet_pubkey, b.devnet_pubkey),
  )
  .map(({ id }) => id);

/** The ids of all pages, and how many pages there were. */
async function pagesOf(limit: number): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await client().listRewardClaims({ limit, ...(cursor !== undefined && { cursor }) });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
    if (cursor === undefined) return { ids, pages };
  }
}

test.each([
  [1, 130],
  [7, 19],
  [65, 2],
  [130, 1],
  [200, 1],
])('pages of %i hold every claim once: by earnings, then time, then key (M-68, S-20)', async (limit, pages) => {
  expect(await pagesOf(limit)).toEqual({ ids: expected, pages });
});

test('a claim that comes in between is on the page where it belongs, and no other moves (S-20)', async () => {
  const first = await client().listRewardClaims({ limit: 100 });
  const late = claimRow({ earnings_lamports: toLamports(500n), claimed_at: new Date(0) });
  await insertClaims(service.current.db, [late]);
  const rest = await client().listRewardClaims({ limit: 200, cursor: first.nextCursor ?? '' });
  const ids = [...first.items, ...rest.items].map(({ id }) => id);
  expect(ids.filter((id) => id !== late.id)).toEqual(expected);
  expect(ids.filter((id) => id === late.id)).toHaveLength(1);
});

const cursorOf = (...keys: unknown[]) => Buffer.from(JSON.stringify(keys)).toString('base64url');
const KEY = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';

test.each([
  ['words', 'nonsense'],
  ['of another list', cursorOf(createUuid())],
  ['of more than there is', cursorOf('9007199254740993', '2026-05-12T00:00:00.000Z', KEY)],
  ['of less than nothing', cursorOf('-1', '2026-05-12T00:00:00.000Z', KEY)],
  ['of no day', cursorOf('1', '2026-02-30T00:00:00.000Z', KEY)],
  ['of no key', cursorOf('1', '2026-05-12T00:00:00.000Z', 'key')],
])('a cursor %s is refused by its name (S-20)', async (_what, cursor) => {
  const refusal = await refused(service.current, () => client().listRewardClaims({ cursor }));
  expect(refusal).toMatchObject({ status: 400, code: 'invalid_input', fields: ['cursor'] });
});
