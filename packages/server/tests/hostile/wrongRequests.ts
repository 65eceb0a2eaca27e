import type { TestService } from '../support/service.js';
import { changesBetween, snapshot } from '../support/snapshot.js';
import { type Draft, fieldsOf, send } from './request.js';
import { type World, walletsOf } from './world.js';

export const PROBLEM = 'application/problem+json; charset=utf-8';

/** The answer to a wrong request. */
export interface Refused {
  status: number;
  code: string;
  fields: readonly string[];
}

/** A request with one thing wrong. */
export interface WrongRequest {
  /** For the reader of a failure. */
  what: string;
  draft: Draft;
  refused: Refused;
}

/** How wrong requests were answered, one after another, and what of tables and accounts changed meanwhile. */
export interface Outcome {
  answers: unknown[];
  changed: string[];
}

export const invalid = (...fields: string[]): Refused => ({
  status: 400,
  code: 'invalid_input',
  fields: fields.sort(),
});

/** Sends all of them. */
export async function outcomeOf(service: TestService, world: World, wrongs: readonly WrongRequest[]): Promise<Outcome> {
  if (wrongs.length === 0) throw new Error('there is nothing to send');
  const before = await snapshot(service, walletsOf(world));
  const answers: unknown[] = [];
  for (const { draft, what } of wrongs) {
    const answer = await send(service, draft);
    const { status, contentType, body } = answer;
    answers.push({ what, status, contentType, code: body['code'], fields: fieldsOf(answer) });
  }
  return { answers, changed: changesBetween(before, await snapshot(service, walletsOf(world))) };
}

/** Each was refused as it says, by a problem document, and together they changed nothing. */
export function allRefused(wrongs: readonly WrongRequest[]): Outcome {
  return { answers: wrongs.map(({ what, refused }) => ({ what, contentType: PROBLEM, ...refused })), changed: [] };
}
