import { expect, test } from 'vitest';
import { claim, handIn, untilTask } from '../digitalTasks/scene.js';
import { refusalOf } from '../../support/sdkRefusal.js';
import { postSigned } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';
import { untilQuiet } from '../../support/snapshot.js';
import { claimInput, confirmationOf, newWalletPubkey, ownTask, REWARDS } from './scene.js';

const service = withService(REWARDS);

test('of claims at the same moment one wins, and every other is shown it (M-67)', async () => {
  const agent = await service.current.party(0);
  const send = () =>
    postSigned(service.current, agent, '/reward-claims', claimInput(agent, { mainnetPubkey: newWalletPubkey() }));
  const responses = await Promise.all(Array.from({ length: 8 }, send));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(7);
  const answers = await Promise.all(responses.map(async (response) => (await response.json()) as { claim?: unknown }));
  const won = answers.find((answer) => !('claim' in answer));
  const lost = answers.filter((answer) => answer !== won);
  expect(lost).toMatchObject(lost.map(() => ({ code: 'already_claimed', claim: won })));
  expect(await agent.client.getMyRewardClaim({ devnetPubkey: agent.pubkey })).toMatchObject({
    mainnetPubkey: (won as { mainnetPubkey: string }).mainnetPubkey,
  });
});

/** Claims what it believes to have earned until a claim is taken. */
async function claimUntilTaken(agent: Party, confirmedEarningsLamports: number): Promise<string[]> {
  const refusals: string[] = [];
  for (let tries = 0; tries < 400; tries += 1) {
    const call = agent.client.registerRewardClaim(claimInput(agent, { confirmedEarningsLamports }));
    const taken = await call.then(
      () => true,
      () => false,
    );
    if (taken) return refusals;
    const { code } = await refusalOf(call);
    refusals.push(code);
    if (code === 'already_claimed') return refusals;
  }
  throw new Error(`no claim was taken: ${refusals.at(-1)}`);
}

test('a leg that is confirmed at the same moment is in a claim wholly or not at all (M-67, M-69)', async () => {
  const poster = await service.current.party(2);
  const seen = new Set<bigint>();
  for (let round = 0; round < 6; round += 1) {
    const agent = await service.current.party(1);
    const task = await ownTask(poster, 0.02);
    await claim(agent, task, 0, 0.001);
    // Odd rounds begin with a claim of nothing beside the result, even ones with a result that is on its way already.
    const handing = handIn(agent, task, 0);
    const believed = round % 2 === 0 ? 20_000_000 : 0;
    if (round % 2 === 0) await handing;
    const refusals = await Promise.all([claimUntilTaken(agent, believed), claimUntilTaken(agent, 20_000_000)]);
    await handing;
    for (const code of refusals.flat()) {
      expect(['payment_under_way', 'earnings_changed', 'already_claimed']).toContain(code);
    }
    const done = await untilTask(service.current, task.id, ({ status }) => status === 'completed');
    const taken = await agent.client.getMyRewardClaim({ devnetPubkey: agent.pubkey });
    const all = {
      devnetEarningsLamports: 20_000_000n,
      legs: 1,
      posters: 1,
      lastConfirmSignature: confirmationOf(done),
    };
    const none = { devnetEarningsLamports: 0n, legs: 0, posters: 0, lastConfirmSignature: null };
    expect(taken).toMatchObject(taken.legs === 0 ? none : all);
    seen.add(taken.devnetEarningsLamports);
  }
  await untilQuiet(service.current);
  expect(seen).toContain(20_000_000n);
});
