import { messageOf } from '../engine/log.js';
import { runCommand } from './runCommand.js';
import { WorkError } from './runner.js';
import type { Runner } from './runner.js';

/**
 * Works by a command: it gets the work as a JSON object on its input, and what it writes to its output is the result, without the
 * line end after it. What it puts into the folder that LEGWORK_FILES names belongs to the result. It runs in the folder of the policy.
 */
export function commandRunner(command: readonly string[], timeoutSec: number, folder: string): Runner {
  return async (work, signal, files) => {
    const given = { input: JSON.stringify(work), timeoutSec, folder, env: { LEGWORK_FILES: files } };
    const ended = await runCommand(command, given, signal).catch((error: unknown) => {
      throw signal.aborted ? error : new WorkError(messageOf(error));
    });
    if (ended.killedFor !== undefined) throw new WorkError(`${command[0]} was killed: ${ended.killedFor}`);
    if (ended.code !== 0) {
      const why = ended.complaint === '' ? '' : `: ${ended.complaint}`;
      throw new WorkError(`${command[0]} ended with code ${ended.code}${why}`);
    }
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(ended.output).replace(/\r?\n$/, '');
    } catch {
      throw new WorkError(`${command[0]} wrote something that is not UTF-8 text`);
    }
  };
}
