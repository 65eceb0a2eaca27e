import { signListing } from '@legwork/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { type TaskScene, withTaskScene } from '../coordinator/taskScene.js';
import { draft, bidInput } from '../support/market.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { land } from '../support/transactions.js';
import { auditOf, linesOf } from '../audit/scene.js';
import { lamportsOf } from '../coordinator/scene.js';
import { ageMissing } from './finalityScene.js';
import { untilListed, Wallets } from './walletScene.js';
import {
  carryPackage,
  finishTask,
  isLanded,
  listedPackage,
  listedTask,
  onFork,
  paidDeed,
  untilAllLanded,
  untilLanded,
  untilShown,
  wrongs,
} from './lyingScene.js';
import { until } from '../support/until.js';

const SLOW = 120_000;
/** Longer than a blockhash lives, until that is final. */
const EXPIRED_SEC = 200;

const scenes = withTaskScene({ lying: true, finality: 'delayed' });

afterEach(() => scenes.current.service.node.mend());

/** Transactions confirmed on the fork are not on the ledger, and come there with the same signature. */
async function requireSentAgain(scene: TaskScene, signatures: readonly (string | null | undefined)[]): Promise<void> {
  expect(signatures).not.toEqual([]);
  for (const signature of signatures) await untilLanded(scene, signature ?? 'nothing was signed');
}

/** On a fork: what the transaction did is forgotten with the fork, and from then on it is sent again in vain. */
function swallow({ service }: TaskScene, signature: string) {
  return service.node.begin({ kind: 'swallowed', signatures: new Set([signature]) });
}

describe('what a node confirmed and forgot is sent again with the same signature:', () => {
  test('the listing that a shipper signed (S-105)', { timeout: SLOW }, async () => {
    const scene = scenes.current;
    const by = await scene.service.party();
    const { shipper, id } = await onFork(scene, () => listedPackage(scene, by));
    const { listSignature } = await shipper.client.getPackage({ packageId: id });
    await requireSentAgain(scene, [listSignature]);
    expect(await wrongs(scene, [await carryPackage(scene, Promise.resolve({ shipper, id }))])).toEqual([]);
  });

  test('the listing that a shipper sent without a word, and the follower found (S-105)', {
    timeout: SLOW,
  }, async () => {
    const scene = scenes.current;
    const shipper = await scene.service.party();
    const { packageId: id, transaction } = await signListing(shipper.client, shipper.signer, draft());
    const signature = await onFork(scene, async (rpc) => {
      const sent = await land({ rpc }, transaction);
      await untilListed(scene.service, id);
      return sent;
    });
    await requireSentAgain(scene, [signature]);
    expect(await wrongs(scene, [await carryPackage(scene, Promise.resolve({ shipper, id }))])).toEqual([]);
  });

  test('the formation of a swarm (S-105)', { timeout: SLOW }, async () => {
    const scene = scenes.current;
    const [{ shipper, id }, courier] = await Promise.all([listedPackage(scene), scene.service.party(1)]);
    const parcel = await onFork(scene, async () => {
      await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', 0.1));
      return untilShown(scene, id, 'in_transit');
    });
    await requireSentAgain(scene, [parcel.swarm?.formSignature]);
    await new Wallets(scene.service).confirm({ shipper, couriers: [courier], parcel }, 0);
    const { onChainPackage: account } = await untilShown(scene, id, 'delivered');
    const deed = { account, history: ['listPackage', 'formSwarm', 'assignLeg', 'confirmLeg', 'settle'] };
    expect(await wrongs(scene, [deed])).toEqual([]);
  });

  test('the listing that the coordinator pays for (S-105)', { timeout: SLOW }, async () => {
    const scene = scenes.current;
    const shipper = await scene.service.party(0);
    const { id } = await onFork(scene, () =>
      shipper.client.postSponsored({ ...draft({ maxBudgetSol: 0.1 }), shipperPubkey: shipper.pubkey }),
    );
    const { listSignature } = await shipper.client.getPackage({ packageId: id });
    await requireSentAgain(scene, [listSignature]);
    expect(await wrongs(scene, [])).toEqual([]);
  });

  test('the assignment of a leg (S-105)', { timeout: SLOW }, async () => {
    const scene = scenes.current;
    const [task, agent] = await Promise.all([listedTask(scene), scene.agent()]);
    const assigned = await onFork(scene, async () => {
      await scene.claim(agent, task, 0);
      return scene.untilLeg(task.id, 0, 'in_progress');
    });
    await requireSentAgain(scene, [assigned.legs[0]?.assignSignature]);
    await scene.complete(agent, task, 0);
    await scene.untilTask(task.id, ({ status }) => status === 'completed');
    expect(await wrongs(scene, [paidDeed(task, agent)])).toEqual([]);
  });

  test('the payment of an agent that was told of it, and the settlement after it (S-105)', {
    timeout: SLOW,
  }, async () => {
    const scene = scenes.current;
    const [task, agent] = await Promise.all([listedTask(scene), scene.agent()]);
    await scene.claim(agent, task, 0);
    await scene.untilLeg(task.id, 0, 'in_progress');
    const { confirmed, settled } = await onFork(scene, async () => ({
      confirmed: await scene.complete(agent, task, 0),
      settled: await scene.untilTask(task.id, ({ status }) => status === 'completed'),
    }));
    expect(confirmed).toMatchObject({ status: 'completed', paymentLamports: 100_000_000n });
    await requireSentAgain(scene, [confirmed.confirmSignature, settled.settleSignature]);
    expect(await wrongs(scene, [paidDeed(task, agent)])).toEqual([]);
  });

  test.each([1, 2, 3])(
    'the whole life of a task, whatever shares a slot, again (%i) (S-105)',
    { timeout: SLOW },
    async () => {
      const scene = scenes.current;
      const posters = await Promise.all([0, 1, 2].map(() => scene.service.party()));
      const deeds = await onFork(scene, () =>
        Promise.all(posters.map((poster) => finishTask(scene, listedTask(scene, poster)))),
      );
      await untilAllLanded(scene);
      expect(await wrongs(scene, deeds)).toEqual([]);
    },
  );
});

test('the bytes of what the follower found are kept until it is final, and only of what is about a listing here (S-105)', async () => {
  const scene = scenes.current;
  const wallets = new Wallets(scene.service);
  const shipper = await scene.service.party();
  const opened = await wallets.openReputation(shipper, (await scene.agent()).pubkey);
  const { packageId, transaction } = await signListing(shipper.client, shipper.signer, draft());
  const listed = await land(scene.service, transaction);
  await untilListed(scene.service, packageId);
  const bytesOf = async (signature: string) => {
    const rows = scene.context.db.selectFrom('ledger_transactions').select('bytes').where('signature', '=', signature);
    return (await rows.executeTakeFirstOrThrow()).bytes?.toString('base64');
  };
  expect([await bytesOf(opened), await bytesOf(listed)]).toEqual([undefined, transaction]);
  expect(await wrongs(scene, [])).toEqual([]);
  expect(await bytesOf(listed)).toBeUndefined();
});

test('what comes after something forgotten waits until that is there again (S-105)', { timeout: SLOW }, async () => {
  const scene = scenes.current;
  const by = await scene.service.party();
  const { task, listSignature, told } = await onFork(scene, async () => {
    const posted = await listedTask(scene, by);
    const listSignature = posted.listSignature ?? '';
    return { task: posted, listSignature, told: await swallow(scene, listSignature) };
  });
  // The listing is sent again in vain for a while, and an agent claims meanwhile.
  const agent = await scene.agent();
  const claimed = scene.claim(agent, task, 0);
  await expect.poll(() => told.hits).toBeGreaterThan(2);
  expect(await isLanded(scene, listSignature)).toBe(false);
  await told.end();
  await claimed;
  await scene.untilLeg(task.id, 0, 'in_progress');
  await scene.complete(agent, task, 0);
  await scene.untilTask(task.id, ({ status }) => status === 'completed');
  await untilAllLanded(scene);
  expect(await wrongs(scene, [paidDeed(task, agent)])).toEqual([]);
});

test('a chain of what was forgotten is sent again in its order, however the first gets lost again (S-105)', {
  timeout: SLOW,
}, async () => {
  const scene = scenes.current;
  const agent = await scene.agent();
  const by = await scene.service.party();
  const { task, told } = await onFork(scene, async () => {
    const posted = await listedTask(scene, by);
    await finishTaskOf(scene, posted, agent);
    return { task: posted, told: await swallow(scene, posted.listSignature ?? '') };
  });
  await expect.poll(() => told.hits).toBeGreaterThan(1);
  await told.end();
  await untilAllLanded(scene);
  expect(await wrongs(scene, [paidDeed(task, agent)])).toEqual([]);
});

async function finishTaskOf(
  scene: TaskScene,
  task: Parameters<TaskScene['claim']>[1],
  agent: Parameters<TaskScene['claim']>[0],
) {
  await scene.claim(agent, task, 0);
  await scene.complete(agent, task, 0);
  return scene.untilTask(task.id, ({ status }) => status === 'completed');
}

test('a payment that the ledger forgot for good is told and not made again, and no call says that it stands (S-106, S-107)', {
  timeout: SLOW,
}, async () => {
  const scene = scenes.current;
  const [task, agent] = await Promise.all([listedTask(scene), scene.agent()]);
  await scene.claim(agent, task, 0);
  await scene.untilLeg(task.id, 0, 'in_progress');
  const confirmSignature = await onFork(scene, async () => {
    const paid = await scene.complete(agent, task, 0);
    const signature = paid.confirmSignature ?? '';
    await swallow(scene, signature);
    return signature;
  });
  await scene.service.advanceTime(EXPIRED_SEC);
  await scene.service.node.mend();
  await until('the payment is taken back', async () => {
    await ageMissing(scene.service);
    const shown = await agent.client.getDigitalTask({ taskId: task.id });
    return shown.legs[0]?.finality === 'reverted';
  });
  expect(await refusalOf(scene.complete(agent, task, 0))).toMatchObject({ status: 409, code: 'ledger_reverted' });
  expect(await lamportsOf(scene.service, agent.pubkey)).toBe(0n);
  const told = await scene.events(task.id);
  expect(told.filter((type) => type === 'LEDGER_REVERTED')).not.toEqual([]);
  const { differences } = await auditOf(scene.service);
  expect(linesOf(differences).join('\n')).toContain(`the ledger took back confirmTaskLeg (tx ${confirmSignature})`);
  expect(await isLanded(scene, confirmSignature)).toBe(false);
});
