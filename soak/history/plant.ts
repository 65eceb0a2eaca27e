import type { Random } from '../plan.js';
import type { Fetch } from './record.js';

/** One read in so many. */
const STALE = 20;
/** How many answers later than the newest it is. */
const BEHIND = 20;

/** A bug on purpose: some reads of a listing are answered with what it was a while ago, as a cache does that nobody clears. */
export function staleReads(send: Fetch, random: Random): Fetch {
  const answers = new Map<string, string[]>();
  return async (url, init) => {
    const response = await send(url, init);
    const { pathname } = new URL(url);
    if ((init.method ?? 'GET') !== 'GET' || !response.ok || !/^\/(packages|digital-tasks)\/[^/]+$/.test(pathname)) {
      return response;
    }
    const known = answers.get(pathname) ?? [];
    answers.set(pathname, known);
    const text = await response.text();
    known.push(text);
    const stale = random() * STALE < 1 ? known.at(-BEHIND) : undefined;
    return new Response(stale ?? text, response);
  };
}
