import { httpRunner, modelRunner } from '../model/runners.js';
import type { Model } from '../model/model.js';
import type { WorkerPolicy } from '../policy/policy.js';
import { commandRunner } from './commandRunner.js';
import type { Runner } from './runner.js';

/**
 * What does the work, by the policy.
 *
 * @param model there when the policy says that it works: the schema of policies sees to it
 * @param folder where a command runs
 */
export function runnerOf(run: WorkerPolicy['run'], model: Model | undefined, folder: string): Runner {
  if ('command' in run) return commandRunner(run.command, run.timeoutSec, folder);
  if ('http' in run) return httpRunner(run.http, run.timeoutSec * 1000);
  if (!model) throw new TypeError('a worker without a model works by a command or over HTTP');
  return modelRunner(model, run.timeoutSec * 1000);
}
