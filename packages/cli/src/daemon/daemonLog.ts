import { basename } from 'node:path';
import type { Log } from '@legwork/agents';
import { pino } from 'pino';

/** The log of agents: lines of words on a terminal, else lines of JSON as the service writes them. */
export function daemonLog(isTerminal: boolean): (agent: string | undefined) => Log {
  if (isTerminal) return (agent) => wordLog(agent === undefined ? '' : basename(agent, '.json'));
  const log = pino({ base: null });
  return (agent) => (agent === undefined ? log : log.child({ name: agent }));
}

function wordLog(agent: string): Log {
  const tell = (mark: string) => (_: object, words: string) => {
    const time = new Date().toTimeString().slice(0, 8);
    process.stdout.write(`${time} ${agent.padEnd(8)} ${mark}${printable(words)}\n`);
  };
  return { info: tell(''), warn: tell('! '), error: tell('!! ') };
}

/** Without what could move the cursor: some words come from strangers. */
const printable = (words: string) => words.replace(/\p{C}+/gu, ' ');
