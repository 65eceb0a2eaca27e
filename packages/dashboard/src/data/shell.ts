import { operations } from '@legwork/protocol/contract';
import { z } from 'zod';

/** What the service wrote into the shell, so that the first page needs no question. */
const written = z.object({
  config: operations.getConfig.answer,
  stats: operations.getStats.answer,
  /** Whether anybody may read how the service stands. */
  operationsPublic: z.boolean(),
});
type Written = z.output<typeof written>;

function read(): Written | undefined {
  const text = document.getElementById('service')?.textContent;
  return text ? z.decode(written, JSON.parse(text) as z.input<typeof written>) : undefined;
}

/** Undefined under the development server, which serves a shell of its own. */
export const shell = read();

/** What stands before every path of the service: `/`, or `/market/`. The shell says it relative to the page. */
export const base = new URL(document.documentElement.dataset['base'] ?? '/', window.location.href).pathname;

/** Address of the service, without a slash at its end. */
export const serviceUrl = new URL(base, window.location.origin).href.replace(/\/$/, '');
