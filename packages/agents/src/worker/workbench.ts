import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@legwork/protocol/contract';
import { artifactUrl } from '@legwork/sdk';
import type { Artifact, DigitalTaskDetail, QueuedLeg, LegworkClient } from '@legwork/sdk';
import { filesIn, ResultFileError, uploadFiles } from '../resultFiles.js';

/** The work for a leg of a digital task. All of it was written by strangers. */
export interface Work {
  readonly instruction: string;
  /** The result of the leg before; null for the first leg. */
  readonly previousResult: string | null;
  /** The files of that result. Anybody may get them; compare the sha256. */
  readonly previousFiles: readonly (Artifact & { readonly url: string })[];
  readonly title: string;
  /** The goal of the whole task. */
  readonly description: string;
}

/** There is no result. The leg is given back in time for others to do it. */
export class WorkError extends Error {
  override readonly name = 'WorkError';
}

/**
 * Does the work of a leg, within its own time limit.
 *
 * @param signal aborted when the daemon stops or the leg is lost: what runs is ended, and the promise rejects
 * @param files an empty folder: what is in it at the end belongs to the result
 * @returns the result as it is handed in; the worker checks that the service takes it
 * @throws {WorkError} when there is none
 */
export type Runner = (work: Work, signal: AbortSignal, files: string) => Promise<string>;

export type DigitalLeg = Extract<QueuedLeg, { kind: 'digital' }>;

/** A leg is given back when its work has failed so often. */
const MOST_TRIES = 3;
/** After that nothing is claimed for so long, twice as long each time until something succeeds, milliseconds. */
const FIRST_PAUSE_MS = 600_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** A service or a store that does not answer is waited for: the work need not be done again. */
const UPLOAD_PATIENCE_MS = 600_000;
const resultText = operations.completeDigitalLeg.body.shape.result;

/** The outcome of work, as the journal keeps it: its files are uploaded, and the result's hash covers their sizes. */
export interface Made {
  readonly result: string;
  readonly artifacts?: readonly Artifact[];
}

/** Where legs are worked on, and how often that failed. Rule A-42. */
export class Workbench {
  readonly #run: Runner;
  /** How often the work of a leg failed, by leg. */
  readonly #failures = new Map<string, number>();
  /** Legs that were given back since work last succeeded: what fails is likely to be here, and each costs reputation. */
  #givenBack = 0;
  #claimsAgainMs = 0;

  constructor(run: Runner) {
    this.#run = run;
  }

  /** Reports whether nothing is claimed for now. */
  isPausing(nowMs: number): boolean {
    return nowMs < this.#claimsAgainMs;
  }

  /** Reports whether the worker should give the leg back. */
  hasFailed(legId: string): boolean {
    return (this.#failures.get(legId) ?? 0) >= MOST_TRIES;
  }

  /** Notes that a leg whose work failed was given back. @returns why, in words */
  gaveBack(): string {
    this.#claimsAgainMs = Date.now() + Math.min(FIRST_PAUSE_MS * 2 ** this.#givenBack, LONGEST_PAUSE_MS);
    this.#givenBack += 1;
    return `its work failed ${MOST_TRIES} times`;
  }

  /** Forgets all other legs. */
  keep(legIds: ReadonlySet<string>): void {
    for (const id of this.#failures.keys()) if (!legIds.has(id)) this.#failures.delete(id);
  }

  /** Does the work of a leg, and uploads its files. @throws {WorkError} when there is no result that the service would take */
  async result(client: LegworkClient, leg: DigitalLeg, task: DigitalTaskDetail, signal: AbortSignal): Promise<Made> {
    const folder = await mkdtemp(join(tmpdir(), 'legwork-work-'));
    try {
      const result = await this.#run(workOf(client, leg, task), signal, folder);
      const { error } = resultText.safeParse(result);
      if (error || result.trim() === '')
        throw new WorkError(`that is no result: it ${error?.issues[0]?.message ?? 'is blank'}`);
      const options = { signal, patienceMs: UPLOAD_PATIENCE_MS };
      const place = { taskId: leg.taskId, legId: leg.id };
      const artifacts = await uploadFiles(client, place, await filesIn(folder), options);
      this.#givenBack = 0;
      return { result, ...(artifacts.length > 0 && { artifacts }) };
    } catch (error) {
      if (!signal.aborted) this.#failures.set(leg.id, (this.#failures.get(leg.id) ?? 0) + 1);
      throw error instanceof ResultFileError ? new WorkError(error.message) : error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function workOf(client: LegworkClient, { instruction, legIndex }: DigitalLeg, task: DigitalTaskDetail): Work {
  const { id: taskId, title, description, legs } = task;
  const before = legs[legIndex - 1];
  const previousFiles = (before?.artifacts ?? []).map((artifact) => ({
    ...artifact,
    url: artifactUrl(client, { taskId, legId: before?.id ?? '', sha256: artifact.sha256 }),
  }));
  return { instruction, previousResult: before?.result ?? null, previousFiles, title, description };
}
