import { createInterface } from 'node:readline/promises';
import type { Ask } from '@legwork/agents';

/** Asks at the terminal, one question at a time; undefined where there is none. */
export function askAtTerminal(): Ask | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const asked = last.then(() => askOne(question, signal));
    last = asked.catch(() => undefined);
    return asked;
  };
}

async function askOne(question: string, signal: AbortSignal): Promise<boolean> {
  // Not as a terminal: Ctrl-C has to stop the daemon, not only the question.
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  try {
    return /^\s*y(es)?\s*$/i.test(await lines.question(`${question} [y/N] `, { signal }));
  } finally {
    lines.close();
  }
}
