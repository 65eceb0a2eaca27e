import { expect, test } from 'vitest';
import { leaveCoordinatorWith } from '../../coordinator/scene.js';
import { withMonotonicClock } from '../../support/monotonicClock.js';
import { post } from '../../support/refusal.js';
import { withService } from '../../support/service.js';
import { claim, goal, handIn, postedTask, refused, untilTask } from './scene.js';

const RESERVE = 10_000_000_000n;
const service = withService({ settings: () => ({ COORDINATOR_RESERVE_SOL: '10' }) });

const clock = withMonotonicClock();
/** Longer than a reading of the balance is good for. */
const READING_MS = 3_500;

test('a coordinator below its reserve assigns and funds nothing; legs can be reserved, and what was assigned is paid (M-45, M-61)', async () => {
  const [first, second, third] = await Promise.all([
    service.current.party(1),
    service.current.party(1),
    service.current.party(1),
  ]);
  const [begun, untouched] = [await postedTask(service.current), await postedTask(service.current)];
  await claim(first, begun.task, 0);

  await leaveCoordinatorWith(service.current, RESERVE - 1_000_000_000n);
  clock.pass(READING_MS);

  expect(await refused(service.current, () => claim(third, untouched.task, 0))).toMatchObject({
    status: 503,
    code: 'assigning_paused',
  });
  const sponsored = await post(service.current, '/digital-tasks/sponsored', {
    ...goal(),
    shipperPubkey: third.pubkey,
  });
  expect([sponsored.status, await sponsored.json()]).toMatchObject([503, { code: 'sponsoring_paused' }]);
  expect(await claim(third, untouched.task, 1)).toMatchObject({ status: 'pending', isWorkable: false });

  expect(await claim(second, begun.task, 1)).toMatchObject({ status: 'pending', isWorkable: false });
  expect(await handIn(first, begun.task, 0)).toMatchObject({ status: 'completed', paymentLamports: 50_000_000n });
  // Its turn has come, but not the money: nobody works on what might not be paid.
  expect(await refused(service.current, () => handIn(second, begun.task, 1))).toMatchObject({
    status: 503,
    code: 'assigning_paused',
  });

  await leaveCoordinatorWith(service.current, RESERVE + 1_000_000_000n);
  clock.pass(READING_MS);
  expect(await claim(first, untouched.task, 0)).toMatchObject({ isWorkable: true });
  await untilTask(service.current, begun.task.id, ({ legs }) => legs[1]?.status === 'in_progress');
  await handIn(second, begun.task, 1);
  await untilTask(service.current, begun.task.id, ({ status }) => status === 'completed');
});
