import type { Artifact } from '@legwork/sdk';

/** What is to be done for a leg of a digital task. All of it was written by strangers. */
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
