import { reclaimPackage } from '@legwork/sdk';
import { beforeAll, expect, test } from 'vitest';
import { winnerOf } from '../operations/bids/scene.js';
import { claim, giveBack, handIn, isOpen, postedTask, untilTask } from '../operations/digitalTasks/scene.js';
import { theFirst } from '../support/theFirst.js';
import { confirmAll, formedPackage, untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';

const HOUR_SEC = 3_600;

const service = withService();

/** One that delivered what it carried: score 100. */
let proven: Party;
/** One whose only package was reclaimed from it at the deadline: score 0, with history. */
let unreliable: Party;

beforeAll(async () => {
  const delivered = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]]);
  proven = theFirst(delivered.couriers);
  await confirmAll(service.current, delivered);
  await untilPackage(service.current, delivered.parcel.id, ({ status }) => status === 'delivered');
  const deadline = new Date(Date.now() + HOUR_SEC * 1_000).toISOString();
  const lost = await formedPackage(service.current, [['zoo', 'ostkreuz', 0.1]], { deadline });
  unreliable = theFirst(lost.couriers);
  // The ledger's clock counts whole seconds, and may be one behind.
  await service.current.advanceTime(HOUR_SEC + 10);
  await reclaimPackage(lost.shipper.client, service.current.rpc, lost.shipper.signer, lost.parcel.id);
});

test('an evaluation goes by the reputation the ledger shows of each bidder, and so does the payment (M-12, M-22, M-26)', async () => {
  // By weight, cost * (1300 - rho): 0.108 * 1200 is less than 0.1 * 1300. The bonus of rho 100 is 3/7 of the bid.
  expect(await winnerOf(service.current, [proven, 0.108], [unreliable, 0.1])).toEqual([[proven.pubkey, 154_285_714n]]);
});

test('but no reputation is worth more than its bound, and none at all earns no bonus (M-12, M-22, M-26)', async () => {
  // 0.109 * 1200 is more than 0.1 * 1300.
  expect(await winnerOf(service.current, [proven, 0.109], [unreliable, 0.1])).toEqual([
    [unreliable.pubkey, 100_000_000n],
  ]);
});

test('a first leg under way is no history: its courier counts as a newcomer (M-12, M-13)', async () => {
  const newcomer = await service.current.party(1);
  expect(await winnerOf(service.current, [newcomer, 0.1])).toEqual([[newcomer.pubkey, 121_428_571n]]);
  // Its score is 0 by now, and still it weighs 0.1039 * 1250, which is less than 0.1 * 1300.
  expect(await winnerOf(service.current, [newcomer, 0.1039], [unreliable, 0.1])).toEqual([
    [newcomer.pubkey, 126_164_285n],
  ]);
});

test('what an agent did with digital tasks weighs in its bids on packages: a completed leg as a score, a released one as a loss (M-12, M-22)', async () => {
  const [worker, quitter] = [await service.current.party(1), await service.current.party(1)];
  const { task } = await postedTask(service.current);
  await claim(quitter, task, 0);
  await giveBack(quitter, task, 0);
  await untilTask(service.current, task.id, isOpen(0));
  await claim(worker, task, 0);
  await handIn(worker, task, 0);
  // 0.108 * 1200 is less than 0.1 * 1300; a newcomer's 0.1 * 1250 would be less than either.
  expect(await winnerOf(service.current, [worker, 0.108], [quitter, 0.1])).toEqual([[worker.pubkey, 154_285_714n]]);
});
