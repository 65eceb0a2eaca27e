import { LEADERBOARD_SIZE } from '@legwork/protocol/contract';
import { beforeAll, expect, test } from 'vitest';
import { withService } from '../../support/service.js';
import { newWallet } from '../../support/packageRows.js';

const service = withService();

interface Standing {
  pubkey: string;
  accepted: number;
  completed: number;
  score: number;
}

/** Many ties: scores and counts repeat, so that the address has to decide. */
const standings: Standing[] = [];

beforeAll(async () => {
  for (let index = 0; index < LEADERBOARD_SIZE + 10; index += 1) {
    const completed = 1 + (index % 2);
    const accepted = completed * (1 + (index % 3));
    const score = Math.floor((completed * 100) / accepted);
    standings.push({ pubkey: await newWallet(), accepted, completed, score });
  }
  await service.current.db
    .insertInto('reputations')
    .values(
      standings.map(({ pubkey, accepted, completed, score }) => ({
        agent_pubkey: pubkey,
        on_chain_pda: pubkey,
        legs_accepted: BigInt(accepted),
        legs_completed: BigInt(completed),
        reliability_score: score,
        slot: 1n,
        mirrored_at: new Date(),
      })),
    )
    .execute();
});

test('getLeaderboard ranks twenty by score, then by legs completed, then by address (S-85)', async () => {
  const { client, pubkey } = await service.current.party(0);
  const expected = standings.toSorted(
    (a, b) => b.score - a.score || b.completed - a.completed || (a.pubkey < b.pubkey ? -1 : 1),
  );
  const first = expected[0]?.pubkey ?? '';
  await client.registerAgent({ agentPubkey: first, displayName: 'The first' });

  const { items } = await client.getLeaderboard();
  expect(items.map(({ agentPubkey }) => agentPubkey)).toEqual(
    expected.slice(0, LEADERBOARD_SIZE).map((standing) => standing.pubkey),
  );
  expect(items.map(({ rank }) => rank)).toEqual(Array.from({ length: LEADERBOARD_SIZE }, (_, index) => index + 1));
  expect(items[0]).toMatchObject({
    displayName: 'The first',
    reliabilityScore: 100,
    legsCompleted: 2,
    legsAccepted: 2,
  });
  expect(items[1]?.displayName).toBeNull();
  expect(items.some((item) => item.agentPubkey === pubkey)).toBe(false);
});
