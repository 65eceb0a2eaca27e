import type { AppContext } from '../../context.js';
import { dueForEvaluation } from '../../db/packages.js';
import { type Loop, startLoop } from '../../loop.js';
import { evaluatePackage } from './evaluatePackage.js';

const POLL_MS = 500;
const BATCH = 20;

/** Starts evaluating packages whose evaluation is due. What is due is in the database: a crash forgets nothing. */
export function startEvaluator(context: AppContext): Loop {
  return startLoop({
    name: 'evaluator',
    log: context.log,
    pollMs: POLL_MS,
    async turn() {
      const due = await dueForEvaluation(context.db, BATCH);
      for (const packageId of due) {
        if (await evaluatePackage(context, packageId)) {
          context.wake.outbox();
          context.log.info({ packageId }, 'chain chosen');
        }
      }
      return due.length > 0;
    },
  });
}
