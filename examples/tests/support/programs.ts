import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** A program of the examples that runs, with everything it printed so far. */
export interface Program {
  readonly output: () => string;
  /** Resolves once it printed the text; rejects when it ends before. */
  readonly shows: (text: string) => Promise<void>;
  /** The exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Resolves once it ended well; rejects with what it printed when it did not. */
  readonly succeeds: () => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Runs a compiled program as its user would; it does not outlive the test. */
export function runProgram(file: string, args: readonly string[]): Program {
  const child = spawn(process.execPath, [`${DIST}${file}`, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return {
    output: () => output,
    shows: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (output.includes(text)) resolve();
        };
        listeners.add(look);
        child.once('close', () => reject(new Error(`it ended without showing "${text}":\n${output}`)));
        look();
      }),
    ended,
    succeeds: async () => {
      const code = await ended;
      if (code !== 0) throw new Error(`it ended with ${code}:\n${output}`);
    },
    kill: (signal) => {
      child.kill(signal);
    },
  };
}
