import { afterEach, describe, expect, test } from 'vitest';
import { goal, withTaskScene } from '../coordinator/taskScene.js';
import { postSponsored, untilReturned } from '../operations/sponsoring/scene.js';
import { bidInput, untilPackage } from '../support/market.js';
import { post } from '../support/refusal.js';

const scenes = withTaskScene({ lying: true });
afterEach(() => scenes.current.service.node.mend());

const HOUR_MS = 3_600_000;
const AFTER_DEADLINE_SEC = 3_700;

const inAnHour = async () => new Date((await scenes.current.ledgerNow()) + HOUR_MS).toISOString();

/** Reads the account now, and has the node show it so from when that is called. */
async function asNow(onChain: string) {
  const { service } = scenes.current;
  const body = { jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params: [[onChain], { encoding: 'base64' }] };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(service.ledger.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  const { result } = (await answer.json()) as { result: unknown };
  return () => service.node.begin({ kind: 'says', result }, ['getMultipleAccounts']);
}

/** How far the way out is. */
async function exit(id: string, kind: string) {
  const row = await scenes.current.context.db
    .selectFrom('outbox')
    .select(['status', 'attempts'])
    .where('unique_key', 'like', `${kind}:${id}%`)
    .executeTakeFirst();
  return row && (row.status === 'pending' && row.attempts > 0 ? 'tried again' : row.status);
}

describe('what a node shows as it was before somebody worked on it', () => {
  test('is reclaimed later and not given up: a package (S-113)', async () => {
    const { service } = scenes.current;
    const [shipper, courier] = await Promise.all([service.party(0), service.party(1)]);
    const { body } = await postSponsored(service, shipper.pubkey, { deadline: await inAnHour() });
    const id = body.id ?? '';
    const { onChainPackage } = await untilPackage(service, id, ({ status }) => status === 'listed');
    const showAsListed = await asNow(onChainPackage);
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
    await untilPackage(service, id, ({ status }) => status === 'in_transit');
    const lie = await showAsListed();
    await service.advanceTime(AFTER_DEADLINE_SEC);
    await expect.poll(() => exit(id, 'reclaim_package')).toBe('tried again');
    await lie.end();
    await untilReturned(service, id);
    expect(await shipper.client.getPackage({ packageId: id })).toMatchObject({ failureReason: 'reclaimed' });
  });

  test('is reclaimed later and not given up: a digital task (S-113)', async () => {
    const scene = scenes.current;
    const [poster, agent] = await scene.twoAgents();
    const order = { ...goal(1), shipperPubkey: poster.pubkey, claimTimeoutSec: 60, deadline: await inAnHour() };
    const { id } = (await (await post(scene.service, '/digital-tasks/sponsored', order)).json()) as { id: string };
    const task = await scene.untilTask(id, ({ status }) => status === 'listed');
    const showAsListed = await asNow(task.onChainTask);
    await scene.claim(agent, task, 0);
    await scene.untilLeg(id, 0, 'in_progress');
    const lie = await showAsListed();
    await scene.service.advanceTime(AFTER_DEADLINE_SEC);
    await expect.poll(() => exit(id, 'reclaim_task')).toBe('tried again');
    await lie.end();
    expect(await scene.untilTask(id, ({ status }) => status === 'failed')).toMatchObject({
      failureReason: 'reclaimed',
    });
  });
});
