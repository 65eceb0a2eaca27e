import { fetchRelayAccounts } from '@legwork/sdk';
import { address } from '@solana/kit';
import { expect, test } from 'vitest';
import { auditOf, linesOf } from '../audit/scene.js';
import { withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { until } from '../support/until.js';
import { gainOf, misfits, reputationRent } from './takeover/books.js';
import { appoint, attend, begin, close, forEach, goOn, peopleOf, takeBack, turnTo } from './takeover/drill.js';
import type { Made } from './takeover/story.js';

/** Each plot once, or as many listings as said: with 100 they are 60 packages and 40 tasks. */
const SIZE = Number(process.env['LEGWORK_DRILL'] ?? 33);
/** Past every deadline, and every clock of terms. */
const PAST_ALL_SEC = 73 * 3600;

const choice: Record<string, string> = {};
const service = withService({ settings: (usual) => ({ ...usual, ...choice }) });

/** Tells how long each part took, where a size is asked for. */
function stopwatch(): (what: string) => void {
  let since = performance.now();
  return (what) => {
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    if (process.env['LEGWORK_DRILL'] !== undefined) process.stdout.write(`${what}: ${seconds} s\n`);
    since = performance.now();
  };
}

test('another operator ends all that a lost one had begun, by turns and papers alone, and everybody has what the rules say (S-258, S-259)', {
  timeout: 3_600_000,
}, async () => {
  const { current } = service;
  const lap = stopwatch();
  const former = address(current.server.coordinatorPubkey);
  const before = await gainOf(current, former);
  const stories = await begin(current, SIZE);
  lap(`${stories.length} listings begun`);

  await current.stop();
  const formerAgents = await withReputation(stories);
  const { coordinator: named, settings } = await appoint(current);
  Object.assign(choice, settings);
  lap('the former service is gone, another coordinator named');
  await current.loseDatabase();
  await until('it is rebuilt', async () => {
    const done = await current.db.selectFrom('meta').select('value').where('key', '=', 'rebuilt').executeTakeFirst();
    return done !== undefined;
  });
  lap('started and rebuilt');
  turnTo(current, stories);
  const kept = stories.filter(({ papers }) => papers !== undefined);
  await forEach(kept, async ({ papers, others: [worker], lister }) => {
    if (papers !== undefined) await (worker ?? lister).client.givePapers(papers);
  });
  lap(`papers of ${kept.length} given`);

  await forEach(stories, (story) => goOn(current, story));
  lap('everybody has done what turns tell');
  await current.advanceTime(PAST_ALL_SEC);
  await forEach(stories, (story) => attend(current, story));
  await forEach(stories, (story) => takeBack(current, story));
  await forEach(stories, (story) => close(current, story));
  await untilQuiet(current);
  lap('all have ended, their accounts closed');
  const { differences, compared } = await auditOf(current, {
    personalDataKeys: settings['PERSONAL_DATA_KEYS'],
  });
  expect(linesOf(differences)).toEqual([]);
  expect(compared.packages + compared.digitalTasks).toBe(SIZE);
  lap('audited');
  // Nothing is left in escrow: what stays are reputations.
  const left = await fetchRelayAccounts(current.rpc, address(current.server.programId));
  expect(left.map(({ kind }) => kind).filter((kind) => kind !== 'reputation')).toEqual(['config']);
  expect(await misfits(current, stories, { former, named, before, formerAgents })).toEqual([]);
  lap('everybody has what the rules say');
});

/** The agents that have a reputation account. */
async function withReputation(stories: readonly Made[]): Promise<Set<string>> {
  const agents = new Set<string>();
  await forEach(stories.flatMap(peopleOf), async ({ pubkey }) => {
    if ((await reputationRent(service.current, pubkey)) > 0n) agents.add(pubkey);
  });
  return agents;
}
