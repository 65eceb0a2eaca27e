import type { WorkerPolicy } from '../policy/policy.js';
import { commandRunner } from './commandRunner.js';
import { WorkError } from './runner.js';
import type { Runner } from './runner.js';

/** What does the work, by the policy. */
export function runnerOf(run: WorkerPolicy['run'], folder: string): Runner {
  if ('command' in run) return commandRunner(run.command, run.timeoutSec, folder);
  return () => Promise.reject(new WorkError('not yet'));
}
