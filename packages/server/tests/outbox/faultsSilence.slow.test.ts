import { expect, test } from 'vitest';
import {
  booksOf,
  callersDuring,
  deliverAll,
  packagesUnderWay,
  requireQuietRows,
  requireTrueBooks,
  withScene,
} from './faultsScene.js';

const scenes = withScene();

// The bound of a single request has to pass, and what was asked in the silence is never answered.
test('while the ledger takes connections and never answers, reads go on; afterwards everything is done once', {
  timeout: 180_000,
}, async () => {
  const scene = scenes.current;
  const packages = await packagesUnderWay(scene);
  const before = await booksOf(scene, packages);
  await scene.tell({ kind: 'silent' });
  const callers = callersDuring(scene, packages);
  expect(await scene.reads(packages)).toEqual([200, 'in_transit']);
  expect(await scene.readiness()).toEqual({ status: 503, detail: 'no answer from: ledger' });
  await scene.untilMet(2);
  await scene.node.mend();
  expect(await callers).toEqual(new Set(['ledger_unavailable']));
  const markets = await deliverAll(scene, packages);
  expect(await scene.readiness()).toMatchObject({ status: 200 });
  await requireQuietRows(scene);
  await requireTrueBooks(scene, markets, before);
});
