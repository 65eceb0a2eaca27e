import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoAnswerError, postForText, runCommand, saveFiles } from '@legwork/agents';
import type { ClaimedResult, Judge, RelayClient, Verdict } from '@legwork/sdk';
import { toJson } from '../agent/output.js';
import { UserError } from '../screen.js';
import { verdictIn } from './verdict.js';

const CONFIRMS = 0;
const DISPUTES = 1;
const MAX_ANSWER_BYTES = 256 * 1024;

/**
 * Judges by a command of the shell, which gets the result on its input: 0 confirms, 1 disputes with what it wrote as the reason, and every
 * every other end is no verdict. What else is known is a JSON file that LEGWORK_CLAIM names, and the files of the result are in the folder
 * that LEGWORK_FILES names; ids are in the environment too. Rule A-98.
 */
export function commandJudge(client: RelayClient, command: string, timeoutSec: number): Judge {
  return async (claimed, signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'legwork-verify-'));
    try {
      const env = environmentOf(claimed, join(folder, 'claim.json'), join(folder, 'files'));
      await writeFile(env.LEGWORK_CLAIM, toJson(claimed));
      const place = { taskId: claimed.task.id, legId: claimed.leg.id };
      await saveFiles(client, place, claimed.artifacts, env.LEGWORK_FILES, { signal });
      const given = { input: claimed.result, timeoutSec, folder: process.cwd(), env };
      return verdictBy(await runCommand(['sh', '-c', command], given, signal));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Nothing that a stranger wrote: a shell that is careless with its variables runs none of it. */
function environmentOf({ task, leg }: ClaimedResult, claim: string, files: string) {
  return {
    LEGWORK_CLAIM: claim,
    LEGWORK_FILES: files,
    LEGWORK_TASK_ID: task.id,
    LEGWORK_LEG_ID: leg.id,
    LEGWORK_LEG: String(leg.legIndex + 1),
  };
}

function verdictBy({ code, killedFor, output, complaint }: Awaited<ReturnType<typeof runCommand>>): Verdict {
  if (killedFor !== undefined) throw new UserError(`The command was killed: ${killedFor}.`);
  if (code === CONFIRMS) return { confirm: true };
  if (code !== DISPUTES) throw new UserError(`The command ended with code ${code}. ${complaint}`.trim());
  const reason = [output.toString('utf8').trim(), complaint].filter((text) => text !== '').join('\n');
  return { confirm: false, reason };
}

/** Judges over HTTP: posts the claim as JSON, and 200 with a verdict is one. */
export function httpJudge(url: string, timeoutSec: number): Judge {
  return async (claimed, signal) => {
    const body: unknown = JSON.parse(toJson(claimed));
    const post = { url, body, timeoutMs: timeoutSec * 1000, maxBytes: MAX_ANSWER_BYTES, signal };
    const whose = `The verifier at ${new URL(url).origin}`;
    try {
      const { status, text } = await postForText(post);
      if (status !== 200) throw new NoAnswerError(`HTTP ${status}`);
      return verdictIn(text, whose);
    } catch (error) {
      throw error instanceof NoAnswerError ? new UserError(`${whose}: ${error.message}`) : error;
    }
  };
}
